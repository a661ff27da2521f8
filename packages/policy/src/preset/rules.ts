import type { Rule } from "../rules/types.ts";

/** A built-in rule, with the title under which it is listed. */
export interface PresetRule {
  readonly rule: Rule;
  /** One line: what it is. */
  readonly title: string;
  /** Part of the leash: no layer switches it off or narrows it. */
  readonly fixed?: true;
}

/**
 * The built-in rules. The managed and the user layer switch one off, change its effect or add an `except`, by id; a
 * rule there is stricter than any allow.
 */
export const presetRules: readonly PresetRule[] = [
  {
    title: "Force push",
    rule: {
      id: "git.force-push",
      effect: "deny",
      ref: { force: true },
      reason: "A force push replaces history that others may have",
      instead: "push without force to a new branch, or ask the person to push",
      match: [
        "git push --force",
        "git push -f origin main",
        "git push origin +main",
        "git push --force-with-lease",
        "git push --mirror",
      ],
      notMatch: ["git push origin main", "git push origin batch/1442-obs-fixes", "git fetch --force"],
    },
  },
  {
    title: "Throwing away uncommitted work",
    rule: {
      id: "git.discard",
      effect: "ask",
      command: [
        { program: ["git"], subcommand: ["reset"], flags: { any: ["--hard", "--merge"] } },
        { program: ["git"], subcommand: ["clean"], flags: { any: ["--force"], none: ["--dry-run"] } },
        { program: ["git"], subcommand: ["checkout"], flags: { any: ["--force", "-B"] } },
        { program: ["git"], subcommand: ["switch"], flags: { any: ["--force", "--discard-changes", "-C"] } },
        { program: ["git"], subcommand: ["checkout"], operands: { like: [".", "./", ":/"] } },
        { program: ["git"], subcommand: ["checkout"], regex: " -- ." },
        { program: ["git"], subcommand: ["restore"], flags: { none: ["--staged"] } },
        { program: ["git"], subcommand: ["restore"], flags: { any: ["--worktree"] } },
        { program: ["git"], subcommand: ["worktree", "remove"], flags: { any: ["--force"] } },
        { program: ["git"], subcommand: ["stash", "drop"] },
        { program: ["git"], subcommand: ["stash", "clear"] },
      ],
      reason: "It throws away work that is in no commit",
      instead: "commit or stash the work first",
      match: [
        "git reset --hard HEAD~1",
        "git clean -fdx",
        "git checkout -f main",
        "git checkout .",
        "git checkout HEAD -- a.ts",
        "git restore a.ts",
        "git -C sub reset --hard",
      ],
      notMatch: [
        "git reset HEAD a.ts",
        "git clean -n",
        "git checkout main",
        "git checkout -b a",
        "git restore --staged a.ts",
        "git stash push",
      ],
    },
  },
  {
    title: "Rewriting or deleting refs and history",
    rule: {
      id: "git.rewrite",
      effect: "ask",
      command: [
        { program: ["git"], subcommand: ["filter-branch"] },
        { program: ["git"], subcommand: ["filter-repo"] },
        { program: ["git"], subcommand: ["reflog", "expire"] },
        { program: ["git"], subcommand: ["reflog", "delete"] },
        { program: ["git"], subcommand: ["update-ref"] },
        { program: ["git"], subcommand: ["branch"], flags: { any: ["-D", "-M", "-C", "--force"] } },
        { program: ["git"], subcommand: ["tag"], flags: { any: ["--delete", "--force"] } },
        // A ref that is deleted and pushed again is a force push in two steps.
        { program: ["git"], subcommand: ["push"], flags: { any: ["--delete", "--prune"] } },
        { program: ["git"], subcommand: ["push"], operands: { like: [":?*"] } },
        { program: ["git"], subcommand: ["gc"], flags: { any: ["--prune"] } },
      ],
      reason: "It removes commits or branches that may be nowhere else",
      instead: "leave the history alone, or ask the person",
      match: [
        "git filter-branch --all",
        "git branch -D old",
        "git branch --delete --force old",
        "git reflog expire --all",
        "git push origin --delete old",
        "git push origin :old",
      ],
      notMatch: ["git branch -a", "git branch -d old", "git reflog", "git push origin a:b", "git tag v1"],
    },
  },
  {
    title: "Removing a whole disk, home or project",
    rule: {
      id: "fs.remove-all",
      effect: "ask",
      personOnly: true,
      command: [
        {
          program: ["rm"],
          flags: { any: ["--recursive"] },
          operands: { like: ["/", "/*", "//*", "~", "~/", "~/*", "/home", "/Users", ".", "./", "..", "../"] },
        },
        { program: ["rm"], flags: { any: ["--no-preserve-root"] } },
      ],
      reason: "It removes far more than a task can need",
      instead: "name the one folder that has to go",
      match: ["rm -rf /", "rm -fr /*", "sudo rm -r --no-preserve-root /"],
      notMatch: ["rm -rf build", "rm a.txt"],
    },
  },
  {
    title: "Writing to a disk or formatting it",
    rule: {
      id: "disk.write",
      effect: "deny",
      command: [
        {
          program: [
            "mkfs",
            "mkfs.*",
            "mke2fs",
            "fdisk",
            "sfdisk",
            "parted",
            "wipefs",
            "blkdiscard",
            "mkswap",
            "diskutil",
          ],
        },
        { program: ["dd", "shred"], operands: { like: ["/dev/*", "of=/dev/*"] } },
      ],
      reason: "It writes to a disk below its file systems",
      instead: "work with files",
      match: ["mkfs.ext4 /dev/sda1", "wipefs -a /dev/sdb"],
      notMatch: ["df -h", "dd if=a of=b"],
    },
  },
  {
    title: "Raw devices",
    rule: {
      id: "disk.device",
      effect: "deny",
      path: {
        glob: [
          "/dev/sd*",
          "/dev/nvme*",
          "/dev/vd*",
          "/dev/hd*",
          "/dev/disk*",
          "/dev/mapper/*",
          "/dev/mem",
          "/dev/kmem",
        ],
        action: ["write", "delete"],
      },
      reason: "It writes to a disk below its file systems",
      instead: "work with files",
      match: ["/dev/sda", "/dev/nvme0n1"],
      notMatch: ["/dev/null"],
    },
  },
  {
    title: "Running something with other rights",
    rule: {
      id: "privilege.raise",
      effect: "ask",
      command: [{ program: ["sudo", "doas", "su", "pkexec", "runuser", "run0"] }],
      reason: "It runs with rights that the project does not need",
      instead: "do it without, or ask the person",
      match: ["sudo ls", "doas sh -c id"],
      notMatch: ["ls"],
    },
  },
  {
    title: "Signals to processes that may be the host's",
    rule: {
      id: "process.signal",
      effect: "ask",
      command: [
        {
          program: [
            "kill",
            "pkill",
            "killall",
            "skill",
            "xkill",
            "taskkill",
            "shutdown",
            "reboot",
            "halt",
            "poweroff",
          ],
        },
      ],
      except: [
        // A job of this very shell, or a literal process id that is not the whole session's; the host's own ids are asked about besides.
        {
          command: [
            {
              program: ["kill"],
              regex:
                "^kill( -(0|[A-Z0-9]+|s [A-Z0-9]+|n [0-9]+))?( --)?( ([2-9]|[1-9][0-9]+|%([0-9]+|[%+-])?))+$",
            },
            { program: ["kill"], flags: { any: ["-l", "--list", "-L"] } },
          ],
        },
      ],
      reason: "Stopping the host ends the gate that guards it",
      instead: "stop only a process that you started, by its literal id",
      match: ["kill $PPID", "kill -9 -1", "kill 1", "pkill node", "kill 0"],
      notMatch: ["kill 12345", "kill -9 12345", "kill %1", "kill -l"],
    },
  },
  {
    title: "Publishing a package or a release",
    rule: {
      id: "publish",
      effect: "ask",
      command: [
        {
          program: ["npm", "pnpm", "yarn", "bun", "cargo", "poetry", "hatch", "flit", "uv", "lerna"],
          subcommand: ["publish"],
        },
        { program: ["yarn"], subcommand: ["npm", "publish"] },
        { program: ["npm"], subcommand: ["unpublish"] },
        { program: ["twine"], subcommand: ["upload"] },
        { program: ["gem"], subcommand: ["push"] },
        { program: ["docker", "podman"], subcommand: ["push"] },
        { program: ["gh"], subcommand: ["release", "create"] },
        { program: ["gh"], subcommand: ["repo", "delete"] },
      ],
      reason: "What is published cannot be taken back",
      instead: "prepare it and let the person publish",
      match: ["npm publish", "cargo publish --dry-run", "docker push a/b", "twine upload dist/a.whl"],
      notMatch: ["npm run publish-docs", "npm test"],
    },
  },
  {
    title: "Secrets of the person",
    rule: {
      id: "secrets.read",
      effect: "ask",
      path: {
        glob: [
          "~/.ssh",
          "~/.gnupg",
          "~/.aws",
          "~/.azure",
          "~/.config/gcloud",
          "~/.config/gh",
          "~/.kube",
          "~/.docker/config.json",
          "~/.netrc",
          "~/.npmrc",
          "~/.pypirc",
          "~/.git-credentials",
          "~/.password-store",
          "id_rsa",
          "id_ed25519",
          "id_ecdsa",
          ".env",
          ".env.local",
          ".env.production",
        ],
      },
      except: [{ path: { glob: ["~/.ssh/known_hosts", "~/.ssh/*.pub"], action: ["read"] } }],
      reason: "It holds keys or passwords",
      instead: "ask the person for what you need to know of it",
      match: ["~/.ssh/id_ed25519", ".env", "packages/a/.env"],
      notMatch: [".env.example", "src/env.ts"],
    },
  },
  {
    title: "Files that run by themselves later",
    rule: {
      id: "persist.startup",
      effect: "ask",
      path: {
        glob: [
          "~/.bashrc",
          "~/.bash_profile",
          "~/.bash_login",
          "~/.profile",
          "~/.zshrc",
          "~/.zshenv",
          "~/.zprofile",
          "~/.config/fish",
          "~/.config/autostart",
          "~/.config/systemd",
          "~/Library/LaunchAgents",
          "~/.gitconfig",
          "~/.config/git",
          ".git/hooks/**",
          "**/.git/hooks/**",
          "**/.git/config",
          "/etc/**",
        ],
        action: ["write", "delete"],
      },
      reason: "What it holds runs later, with nobody asking",
      instead: "tell the person what to add",
      match: ["~/.bashrc", ".git/hooks/pre-commit"],
      notMatch: [".github/workflows/ci.yml"],
    },
  },
  {
    title: "Changing scheduled jobs",
    rule: {
      id: "persist.schedule",
      effect: "ask",
      command: [
        { program: ["crontab"], flags: { none: ["-l"] } },
        { program: ["at", "batch", "launchctl", "schtasks"] },
      ],
      reason: "What it starts runs later, with nobody asking",
      instead: "tell the person what to schedule",
      match: ["crontab -e", "crontab jobs.txt"],
      notMatch: ["crontab -l"],
    },
  },
];

/** Names that defaults have, so that a layer can change them as it changes a rule. */
export const presetDefaults = {
  /** A path outside the project folder that no rule allows. */
  external: {
    id: "path.external",
    effect: "ask",
    title: "Paths outside the project",
    reason: "It is outside the project folder",
  },
  /** A path that is not known before the call runs. */
  unknown: {
    id: "path.unknown",
    effect: "ask",
    title: "Paths that are not known",
    reason: "Which path it touches is not known before it runs",
  },
  /** A write of an allowed command that no path rule allows. */
  write: {
    id: "shell.write",
    effect: "ask",
    title: "Writes beside an allowed command",
    reason: "The rule allows the command, not this write",
  },
} as const;

const leashReason = "It decides what an agent may do, and no agent writes its own leash";

/**
 * What no call may ever write, in any mode and by any grant: policies, grants, audit logs, settings and extensions.
 */
export function leashRules(protectedPaths: readonly string[]): readonly PresetRule[] {
  const glob = [
    "**/.pi",
    "./.pi",
    "**/.nestbox",
    "./.nestbox",
    "~/.pi",
    "~/.config/nestbox",
    "~/.nestbox",
    ...protectedPaths,
  ];
  return [
    {
      title: "Policy, grants, audit, settings and extensions",
      fixed: true,
      rule: {
        id: "leash.files",
        effect: "deny",
        path: { glob, action: ["write", "delete"] },
        // What a person may well ask for: texts of the project, which Pi shows when they are used.
        except: [{ path: { glob: [".pi/skills/**", ".pi/prompts/**", ".pi/themes/**"] } }],
        // Where it is not sure that a file of these is meant, nobody but a person says so.
        personOnly: true,
        reason: leashReason,
        instead: "tell the person what you would change there",
      },
    },
    {
      title: "A second name for policy files",
      fixed: true,
      rule: {
        id: "leash.links",
        effect: "deny",
        command: [{ program: ["ln", "link", "mount", "mklink"] }],
        path: { glob },
        // Where it is not sure that a file of these is meant, nobody but a person says so.
        personOnly: true,
        reason: leashReason,
        instead: "tell the person what you would change there",
      },
    },
    {
      title: "Extensions through Pi's own commands",
      fixed: true,
      rule: {
        id: "leash.packages",
        effect: "deny",
        command: [
          {
            program: ["pi", "pi-coding-agent"],
            operands: { like: ["install", "remove", "uninstall", "update", "config"] },
          },
          // Another agent, without the extension that is this policy.
          { program: ["pi", "pi-coding-agent"], regex: " (--no-extensions|-ne)( |$)" },
        ],
        personOnly: true,
        reason: "It changes which extensions and settings count, and no agent writes its own leash",
        instead: "tell the person what to install",
        match: ["pi install npm:x", "sudo pi remove x", "/opt/bin/pi config", "pi --no-extensions -p x"],
        notMatch: ["pi list", "pi -p 'install it'", "pip install x"],
      },
    },
  ];
}

/** What may not be signalled without a person: the process that holds the gate, and those above it. */
export function hostRules(pids: readonly number[]): readonly PresetRule[] {
  if (pids.length === 0) return [];
  return [
    {
      title: "Signals to the host",
      fixed: true,
      rule: {
        id: "process.signal-host",
        effect: "ask",
        command: [
          { program: ["kill", "taskkill"], operands: { like: pids.flatMap((pid) => [`${pid}`, `-${pid}`]) } },
        ],
        personOnly: true,
        reason: "Stopping the host ends the gate that guards it",
        instead: "stop only a process that you started, by its literal id",
      },
    },
  ];
}
