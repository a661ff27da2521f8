# {{name}}

A Pi extension: the tool `count_todos`, and a policy that keeps it (and everything else) away from secrets.

<!-- until the first release -->

Nestbox is not on npm yet. Run `npx -y pnpm@12 tarballs` in a clone of it, and this instead of `npm install`:

```sh
npm install <clone>/tarballs/nestbox-tool-0.0.0.tgz <clone>/tarballs/nestbox-policy-0.0.0.tgz
```

<!-- end -->

```sh
npm install
npm test                # the tool alone, and in a real Pi session with a scripted model
npm run typecheck
npm run lint:package    # publint: is the package what it says?
pi install .            # use it
nestbox policy test --policy policy.jsonc
```

| File                 | What                                            |
| -------------------- | ----------------------------------------------- |
| `src/count-todos.ts` | the tool                                        |
| `src/extension.ts`   | registers the tool, with the policy in front    |
| `policy.jsonc`       | the rules, each with examples that have to hold |
| `test/`              | runs both without a model                       |
