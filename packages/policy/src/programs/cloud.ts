import type { ProgramSpec, SubcommandSpec } from "./spec.ts";

const net: SubcommandSpec = { network: true };
const elsewhere: SubcommandSpec = { posix: true, network: false, wraps: { kind: "opaque", place: true } };

const ghBody =
  "-t,--title=text -b,--body=text -F,--body-file=read -a,--assignee=text -l,--label=text -m,--milestone=text -p,--project=text -w,--web -T,--template=text -e,--editor! -R,--repo=text -B,--base=text -H,--head=text -d,--draft -f,--fill --fill-first --fill-verbose --no-maintainer-edit -r,--reviewer=text --recover=read --dry-run";
const ghList =
  "-R,--repo=text -L,--limit=text -s,--state=text -l,--label=text -A,--author=text -a,--assignee=text -S,--search=text --json=text -q,--jq=text -t,--template=text -w,--web -c,--comments -B,--base=text -H,--head=text -m,--milestone=text -d,--draft --app=text --log --log-failed --job=text --exit-status -v,--verbose --patch --name-only --color=text -b,--branch=text -u,--user=text -e,--event=text --watch --interval=text --required --allow-forks -T --mention=text";
const ghApi =
  "-X,--method=text! -f,--raw-field=text! -F,--field=at-read! -H,--header=text --input=read! -q,--jq=text -t,--template=text --paginate -i,--include --cache=text --hostname=host -p,--preview=text --silent --slurp --verbose";
const ghReads: SubcommandSpec = { network: true, options: ghList };
const ghWrites: SubcommandSpec = {
  network: true,
  options: `${ghBody} -D,--dir=write-tree -O,--output=write -p,--pattern=text -c,--comment=text --delete-branch -s,--squash --rebase --admin --auto -n,--name=text --notes=text --notes-file=read -y,--yes`,
};

const dockerLooks: SubcommandSpec = {
  readOnly: true,
  options:
    "-a,--all -q,--quiet -f,--filter=text --format=text --no-trunc -n,--last=text -s,--size -l,--latest --tail=text --since=text --until=text -t,--timestamps --no-stream --type=text --digests",
};
/** What starts a program in a container. */
const dockerStarts: Readonly<Record<string, SubcommandSpec>> = {
  run: { posix: true, options: dockerRun(), wraps: { kind: "opaque", place: true }, special: "docker-run" },
  exec: {
    posix: true,
    options:
      "-d,--detach -e,--env=text --env-file=read -i,--interactive --privileged -t,--tty -u,--user=text -w,--workdir=text --detach-keys=text",
    wraps: { kind: "opaque", place: true },
  },
  create: { posix: true, options: dockerRun(), special: "docker-run" },
};
const dockerChanges =
  "rm,rmi,stop,start,restart,kill,pause,unpause,rename,update,wait,attach,commit,tag,prune";

/** Clients of services, containers and clusters. */
export const cloudTable: readonly ProgramSpec[] = [
  {
    names: ["hub"],
    options: "-C=cwd --help --version",
    subcommandOptional: true,
    subcommands: {
      "issue,pr,release,gist,ci-status,compare,browse,create,delete,fork,pull-request,sync": net,
      api: { network: true, options: ghApi, operands: { rest: "text" }, special: "gh-api" },
    },
    special: "hub",
  },
  {
    names: ["gh", "glab"],
    options: "-R,--repo=text --help --version",
    optionsAnywhere: true,
    subcommands: {
      "issue,pr,release,repo,run,workflow,label,gist,project,secret,variable,cache,ruleset,org,search,codespace,ssh-key,gpg-key,mr,ci,discussion":
        {
          aliases: "create=new list=ls checkout=co",
          subcommands: {
            "list,ls,view,status,diff,checks,issues,prs,repos,code,commits,verify": ghReads,
            merge: { ...ghWrites, special: "gh-merge" },
            sync: {
              network: true,
              options: "-b,--branch=text --force! -s,--source=text -R,--repo=text",
              operands: { rest: "text" },
              special: "gh-sync",
            },
            "create,new,edit,close,reopen,comment,delete,lock,unlock,pin,unpin,transfer,develop,ready,review,checkout,co,clone,fork,rename,archive,unarchive,set-default,download,upload,rerun,cancel,watch,run,enable,disable,set,remove,add,item-add,item-edit,update-branch,ssh,cp,stop,rebuild,deploy-key,credits":
              ghWrites,
          },
        },
      api: {
        network: true,
        options: ghApi,
        operands: { rest: "text" },
        special: "gh-api",
      },
      alias: {
        subcommands: {
          list: {},
          "set,import": { opaque: "an alias of gh can run a shell line" },
          delete: {},
        },
      },
      "extension,ext": {
        network: true,
        subcommands: {
          "list,search,browse": net,
          "install,upgrade,create,exec": {
            network: true,
            opaque: "an extension of gh is a program of its own",
          },
          remove: {},
        },
      },
      auth: { subcommands: { status: net, token: {}, "login,logout,refresh,setup-git,switch": net } },
      "config,completion,browse,status,attestation,copilot,preview": net,
    },
  },
  {
    names: ["docker", "podman", "nerdctl"],
    options:
      "--config=environment -c,--context=text -D,--debug -H,--host=host -l,--log-level=text --tls --tlscacert=read --tlscert=read --tlskey=read --tlsverify -v,--version",
    subcommands: {
      "ps,images,version,info,inspect,history,port,top,stats,logs,diff,events,search": dockerLooks,
      ...dockerStarts,
      build: {
        network: true,
        options:
          "-t,--tag=text -f,--file=read --build-arg=text --no-cache --pull --target=text --platform=text -o,--output=write-tree --secret=text --ssh=text -q,--quiet --progress=text --iidfile=write --cache-from=text --cache-to=text --push --load --network=text --label=text",
        operands: { rest: "read-tree" },
      },
      cp: { operands: { rest: "remote-read", last: "remote-write" }, options: "-a -L -q" },
      "pull,push,login,logout": net,
      "save,export": { options: "-o,--output=write" },
      "load,import": { options: "-i,--input=read -q,--quiet", operands: { first: "read" } },
      compose: {
        options:
          "-f,--file=read -p,--project-name=text --profile=text --env-file=read --project-directory=cwd --ansi=text --progress=text",
        subcommands: {
          "ps,logs,config,images,ls,top,version,port,events": {
            readOnly: true,
            options: "-f,--follow --tail=text -a -q -t --services --format=text --no-color",
          },
          "exec,run": elsewhere,
          "up,down,start,stop,restart,build,pull,push,rm,kill,create,pause,unpause,cp,watch": {},
        },
      },
      container: {
        groups: true,
        aliases: "ps=ls,list rm=remove",
        subcommands: {
          ...dockerStarts,
          "ps,logs,inspect,port,top,stats,diff": dockerLooks,
          [dockerChanges]: {},
        },
      },
      image: {
        groups: true,
        aliases: "rmi=rm,remove images=ls,list",
        subcommands: { "images,history,inspect": dockerLooks, "pull,push": net, [dockerChanges]: {} },
      },
      "volume,network,system,builder,buildx,context,manifest,plugin,swarm,service,stack,node,secret,config,trust,checkpoint":
        { subcommandWords: 1 },
      [dockerChanges]: {},
    },
  },
  {
    names: ["docker-compose", "podman-compose"],
    options: "-f,--file=read -p,--project-name=text --profile=text --env-file=read --project-directory=cwd",
    subcommands: {
      "ps,logs,config,images,ls,top,version": { readOnly: true },
      "exec,run": elsewhere,
      "up,down,start,stop,restart,build,pull,push,rm,kill,create": {},
    },
  },
  {
    names: ["kubectl", "oc", "k3s"],
    options:
      "-n,--namespace=text --context=text --cluster=text --kubeconfig=environment -s,--server=url --token=text --user=text --as=text -o,--output=text -l,--selector=text -A,--all-namespaces -f,--filename=read -k,--kustomize=read-tree -w,--watch --dry-run?text --force -c,--container=text --tail=text --since=text -R,--recursive --grace-period=text --all -p,--patch=text --type=text -v=text --request-timeout=text",
    optionsAnywhere: true,
    network: true,
    subcommands: {
      "get,describe,logs,top,explain,version,api-resources,api-versions,cluster-info,events,auth,diff": net,
      exec: {
        network: true,
        posix: true,
        options: "-i,--stdin -t,--tty -q,--quiet",
        wraps: { kind: "opaque", place: true },
      },
      "run,debug,attach,port-forward,proxy": net,
      cp: { network: true, operands: { rest: "remote-read", last: "remote-write" } },
      "apply,create,delete,edit,patch,replace,scale,rollout,set,label,annotate,expose,autoscale,cordon,uncordon,drain,taint,certificate,wait,kustomize":
        net,
      config: { subcommandWords: 1 },
    },
  },
  {
    names: ["aws"],
    options:
      "--region=text --profile=text --output=text --query=text --endpoint-url=url --debug --no-verify-ssl --no-paginate --no-sign-request --ca-bundle=read --cli-read-timeout=text --cli-connect-timeout=text --color=text --no-cli-pager --cli-binary-format=text --no-cli-auto-prompt --cli-auto-prompt --cli-input-json=text --cli-input-yaml=text --version",
    optionsAnywhere: true,
    subcommandWords: 2,
    network: true,
    operands: { rest: "remote-read", last: "remote-write" },
  },
  {
    names: ["ansible", "vagrant"],
    options:
      "-a,--args=code -c,--command=code -m,--module-name=text -i,--inventory=read -e,--extra-vars=text -l,--limit=text -b,--become!",
    network: true,
  },
  {
    names: ["gsutil"],
    options: "-m -q -D -h=text -o=text",
    subcommandWords: 1,
    network: true,
    operands: { rest: "remote-read", last: "remote-write" },
  },
  {
    names: ["heroku", "fly", "flyctl"],
    options: "-a,--app=text -c,--config=read -C,--command=code -t,--access-token=text -r,--remote=text",
    optionsAnywhere: true,
    network: true,
    subcommands: {
      "run,run:detached": { ...elsewhere, network: true, wraps: { kind: "opaque" } },
      "ssh,console,machine": { subcommandWords: 1, network: true },
    },
  },
  {
    names: [
      "gcloud",
      "bq",
      "az",
      "doctl",
      "vercel",
      "netlify",
      "wrangler",
      "firebase",
      "supabase",
      "railway",
      "oci",
      "ibmcloud",
      "linode-cli",
      "hcloud",
      "scw",
      "sfdx",
      "sf",
    ],
    options: "--command=code",
    subcommandWords: 2,
    network: true,
  },
  {
    names: ["terraform", "tofu"],
    singleDashLong: true,
    options: "-chdir=cwd",
    network: true,
    subcommands: {
      fmt: {
        options: "-list=text -write=text -diff -check -recursive -no-color",
        operands: { rest: "read" },
        otherwise: ".",
        writesWithin: "operands",
        writesUnless: ["-check"],
      },
      "validate,version,show,output,providers,graph,console,metadata,get,state,workspace,test,login,logout,modules,refresh,import,taint,untaint,force-unlock":
        { network: true },
      "init,plan,apply,destroy": {
        network: true,
        options:
          "-out=write -var-file=read -var=text -state=write -state-out=write -backup=write -backend-config=text -plugin-dir=read-tree -auto-approve -input=text -target=text -replace=text -lock=text -no-color -upgrade -reconfigure -migrate-state -destroy -refresh=text -parallelism=text",
      },
    },
  },
  {
    names: [
      "pulumi",
      "helm",
      "ansible-playbook",
      "packer",
      "nomad",
      "consul",
      "vault",
      "skaffold",
      "kustomize",
      "argocd",
      "flux",
      "eksctl",
      "kind",
      "minikube",
      "istioctl",
      "cdk",
      "serverless",
      "sls",
      "sam",
    ],
    singleDashLong: true,
    options: "-chdir=cwd",
    subcommandWords: 1,
    network: true,
  },
];

function dockerRun(): string {
  return (
    "-d,--detach -e,--env=text --env-file=read -i,--interactive -t,--tty -u,--user=text -v,--volume=text! --mount=text! -p,--publish=text -P --rm --name=text --network,--net=text -w,--workdir=text --entrypoint=text --privileged! --cap-add=text! --cap-drop=text --device=text! " +
    "--security-opt=text! --pid=text! --ipc=text! --platform=text --pull=text -m,--memory=text --cpus=text --init --restart=text -l,--label=text --label-file=read -h,--hostname=text --add-host=text --dns=text --shm-size=text --tmpfs=text --ulimit=text --gpus=text -a,--attach=text --cidfile=write --read-only --userns=text! --volumes-from=text --link=text --log-driver=text --log-opt=text --user=text -q,--quiet"
  );
}
