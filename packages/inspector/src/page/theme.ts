import { signal } from "@preact/signals";

export type Theme = "auto" | "light" | "dark";

const KEY = "nestbox-trace-theme";
export const theme = signal<Theme>("auto");

export function chooseTheme(next: Theme): void {
  theme.value = next;
  document.documentElement.dataset["theme"] = next;
  try {
    localStorage.setItem(KEY, next);
  } catch {
    // A page that may keep nothing forgets it.
  }
}

export function restoreTheme(): void {
  let kept: string | null = null;
  try {
    kept = localStorage.getItem(KEY);
  } catch {
    // As above.
  }
  theme.value = kept === "light" || kept === "dark" ? kept : "auto";
  document.documentElement.dataset["theme"] = theme.value;
}
