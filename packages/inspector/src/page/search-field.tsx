import { useEffect, useRef } from "preact/hooks";

export interface SearchFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** The field that `/` leads to, and out of which `Enter`, `↓` and `Esc` lead to the rows. */
export function SearchField({ label, value, onChange }: SearchFieldProps) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const focusField = (event: KeyboardEvent): void => {
      if (event.key !== "/" || event.ctrlKey || event.metaKey || isField(event.target)) return;
      event.preventDefault();
      field.current?.focus();
      field.current?.select();
    };
    addEventListener("keydown", focusField);
    return () => removeEventListener("keydown", focusField);
  }, []);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "Escape" && value !== "") onChange("");
    else if (event.key === "Escape" || event.key === "Enter" || event.key === "ArrowDown") focusGrid();
    else return;
    event.preventDefault();
  };
  return (
    <label class="search">
      <span class="unseen">{label}</span>
      <input
        ref={field}
        type="search"
        placeholder={label}
        spellcheck={false}
        autocomplete="off"
        value={value}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <kbd aria-hidden="true">/</kbd>
    </label>
  );
}

export function focusGrid(): void {
  document.querySelector<HTMLElement>(".grid")?.focus();
}

function isField(target: EventTarget | null): boolean {
  return target instanceof HTMLInputElement || target instanceof HTMLSelectElement;
}
