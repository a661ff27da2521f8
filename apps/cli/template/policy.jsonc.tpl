{
  "$schema": "./node_modules/@nestbox/policy/policy.schema.json",
  "version": 1,
  "rules": [
    {
      "id": "no-secrets",
      "effect": "deny",
      "path": { "glob": ["*.pem", ".env", ".env.*"], "action": "read" },
      "reason": "It holds secrets",
      "match": ["server.pem", "packages/a/.env"],
      "notMatch": "src/env.ts"
    }
  ],
  // What the arguments of the tool mean, so that rules about paths bind it.
  "tools": {
    "count_todos": { "paths": [{ "argument": "path", "action": "read" }] }
  }
}
