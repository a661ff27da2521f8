/** What the workflow that publishes has to say, so that a package comes with the proof of where it was built. */
export function workflowFaults(text: string): readonly string[] {
  const faults: string[] = [];
  if (!/^\s*id-token: write\b/m.test(text)) faults.push("it may not ask for an identity (id-token: write)");
  if (!/^\s*NPM_CONFIG_PROVENANCE: ["']?true\b/m.test(text)) faults.push("it does not ask for provenance");
  if (/NPM_TOKEN|NODE_AUTH_TOKEN/.test(text)) faults.push("it uses a token that stays valid");
  for (const [, action = ""] of text.matchAll(/^\s*-?\s*uses: *(\S+)/gm)) {
    if (!/@[0-9a-f]{40}$/.test(action)) faults.push(`${action} is not pinned to a commit`);
  }
  if (!/^permissions: *(?:\{\}|$)/m.test(text))
    faults.push("it has every permission that it does not take away");
  return faults;
}
