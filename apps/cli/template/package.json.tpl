{
  "name": "{{name}}",
  "version": "0.1.0",
  "description": "A Pi extension with a tool, a policy and a test",
  "keywords": ["pi-package"],
  "license": "MIT",
  "type": "module",
  "files": ["src", "policy.jsonc"],
  "exports": {
    "./package.json": "./package.json"
  },
  "pi": {
    "extensions": ["./src/extension.ts"]
  },
  "scripts": {
    "test": "node --test \"test/*.test.ts\"",
    "typecheck": "tsc",
    "lint:package": "publint --strict"
  },
  "dependencies": {
    "@nestbox/policy": "{{policyVersion}}",
    "@nestbox/tool": "{{toolVersion}}"
  },
  "peerDependencies": {
    "@earendil-works/pi-coding-agent": ">=1.6.0",
    "typebox": "*"
  },
  "devDependencies": {
    "@earendil-works/pi-coding-agent": "^1.6.0",
    "@types/node": "^26.6.7",
    "publint": "^0.3.25",
    "typebox": "^1.3.27",
    "typescript": "^7.0.2"
  },
  "engines": {
    "node": ">=22.19.0"
  }
}
