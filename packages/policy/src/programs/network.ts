import type { ProgramSpec } from "./spec.ts";

/** Programs that reach another machine. */
export const networkTable: readonly ProgramSpec[] = [
  {
    names: ["curl"],
    options:
      "-o,--output=write -O,--remote-name! --remote-name-all! -J,--remote-header-name! --output-dir=write-tree --create-dirs -D,--dump-header=write -c,--cookie-jar=write --trace=write --trace-ascii=write --stderr=write --etag-save=write --hsts=write --alt-svc=write --libcurl=write " +
      "-K,--config=environment -T,--upload-file=read -d,--data,--data-ascii=at-read --data-binary=at-read --data-urlencode=at-read --data-raw=text --json=at-read -F,--form=at-read --form-string=text -b,--cookie=text -H,--header=at-read --proxy-header=at-read " +
      "--etag-compare=read -E,--cert=read --key=read --cacert=read --capath=read-tree --crlfile=read --netrc-file=read --pubkey=read -n,--netrc --netrc-optional -x,--proxy=host --preproxy=host --socks5=host --socks5-hostname=host --socks4=host --doh-url=url --unix-socket=read --abstract-unix-socket=text " +
      "-X,--request=text -I,--head -i,--include,--show-headers -L,--location --location-trusted -s,--silent -S,--show-error -f,--fail --fail-with-body --fail-early -v,--verbose -k,--insecure -u,--user=text -U,--proxy-user=text -A,--user-agent=text -e,--referer=text -G,--get -w,--write-out=at-read -m,--max-time=text --connect-timeout=text " +
      "--retry=text --retry-delay=text --retry-max-time=text --retry-all-errors --retry-connrefused --url=url --url-query=at-read -r,--range=text -C,--continue-at=text -z,--time-cond=text --compressed -g,--globoff -N,--no-buffer -#,--progress-bar --no-progress-meter -4,--ipv4 -6,--ipv6 --resolve=text --connect-to=text --haproxy-clientip=text " +
      "--proto=text --proto-redir=text --proto-default=text --tls-max=text --tlsv1.0 --tlsv1.1 --local-port=text --dns-servers=host --engine=text --pinnedpubkey=text --expect100-timeout=text --create-file-mode=text --trace-time --xattr --variable=text --expand-output=write --expand-url=url --expand-data=at-read --expand-header=text --http1.1 --http1.0 --http2 --http3 -0 -1,--tlsv1 --tlsv1.2 --tlsv1.3 --limit-rate=text --max-filesize=text --max-redirs=text --interface=text -Q,--quote=text -q,--disable -Z,--parallel --parallel-max=text --noproxy=text --oauth2-bearer=text --aws-sigv4=text --basic --digest --ntlm --negotiate --anyauth " +
      "--post301 --post302 --post303 --path-as-is --tcp-nodelay --keepalive-time=text --no-keepalive --raw --rate=text -R,--remote-time -t,--telnet-option=text --ssl --ssl-reqd --ciphers=text --cert-type=text --key-type=text --pass=text --mail-from=text --mail-rcpt=text -a,--append -B,--use-ascii -j,--junk-session-cookies -l,--list-only -p,--proxytunnel -y,--speed-time=text -Y,--speed-limit=text -V,--version -h,--help --next -:",
    operands: { rest: "url" },
    network: true,
    special: "curl",
  },
  {
    names: ["wget", "wget2"],
    options:
      "-O,--output-document=write -P,--directory-prefix=write-tree -o,--output-file=write -a,--append-output=write -i,--input-file=read -e,--execute=environment --config=environment --use-askpass=execute --post-file=read --body-file=read --post-data=text --body-data=text " +
      "--save-cookies=write --load-cookies=read --hsts-file=write --warc-file=write --rejected-log=write --certificate=read --private-key=read --ca-certificate=read --ca-directory=read-tree -q,--quiet -v,--verbose -nv,--no-verbose -c,--continue -N,--timestamping -S,--server-response --spider -t,--tries=text -T,--timeout=text " +
      "-w,--wait=text -Q,--quota=text --limit-rate=text -r,--recursive -l,--level=text -k,--convert-links -p,--page-requisites -np,--no-parent -nc,--no-clobber -nd,--no-directories -nH,--no-host-directories --cut-dirs=text -A,--accept=text -R,--reject=text -D,--domains=text -H,--span-hosts -m,--mirror -U,--user-agent=text --header=text " +
      "--method=text --user=text --password=text --no-check-certificate --content-disposition --max-redirect=text --progress=text --show-progress -b,--background! -4 -6 -x,--force-directories -E,--adjust-extension -B,--base=url -F,--force-html --no-cookies --no-proxy --no-cache -V,--version -h,--help",
    operands: { rest: "url" },
    network: true,
    special: "wget",
  },
  {
    names: ["http", "https", "xh", "httpie"],
    options:
      "-o,--output=write -d,--download! -b,--body -h,--headers -v,--verbose -f,--form -j,--json -a,--auth=text -A=text --session=text -p,--print=text --follow -F --check-status --ignore-stdin -I -q",
    operands: { rest: "text" },
    network: true,
    special: "httpie",
  },
  {
    names: [
      "aria2c",
      "axel",
      "lynx",
      "w3m",
      "links",
      "elinks",
      "yt-dlp",
      "youtube-dl",
      "wscat",
      "websocat",
      "grpcurl",
      "ab",
      "wrk",
      "hey",
      "httping",
    ],
    options:
      "-o,--out,--output=write -d,--dir,--directory-prefix=write-tree -c,--connect=url -i,--input-file=read -x,--proxy=host --all-proxy=host --http-proxy=host --https-proxy=host -H,--header=text -n=text -t=text -p=read -T=text -q,--quiet --dump -dump -plaintext --exec=command --downloader=program",
    operands: { rest: "url" },
    network: true,
  },
  {
    names: ["ssh-copy-id", "ssh-keyscan"],
    options: "-i=read -f=read -p=text -t=text -T=text -o=environment -n -s -x -H -v -4 -6",
    operands: { rest: "host" },
    network: true,
  },
  {
    names: ["mail", "mailx", "mutt", "sendmail", "msmtp", "swaks"],
    options: "-s=text -a=read -c=text -b=text -r=text -t -i -S=text -A=read -C=environment --server=host",
    operands: { rest: "text" },
    network: true,
    special: "client",
  },
  {
    names: ["rclone", "sshfs", "restic", "smbclient", "iperf", "iperf3", "vegeta"],
    options: "--config=environment -o=environment -c=host --target=write-tree -n,--dry-run -P,--progress -v",
    operands: { rest: "remote-read", last: "remote-write" },
    network: true,
  },
  {
    names: ["scp"],
    follows: "always",
    options:
      "-3 -4 -6 -A -B -C -O -p -q -R -r -s -T -v -a -f -N -c=text -D=program -F=environment -i=read -J=host -l=text -o=environment -P=text -S=program -X=text -b=environment",
    operands: { rest: "remote-read", last: "remote-write" },
    network: true,
  },
  {
    names: ["sftp"],
    options:
      "-4 -6 -A -a -C -f -N -p -q -r -v -b=environment -B=text -c=text -D=program -F=environment -i=read -J=host -l=text -o=environment -P=text -R=text -S=program -s=text -X=text",
    operands: { first: "host", rest: "write" },
    network: true,
    special: "socket",
  },
  {
    names: ["rsync"],
    follows: ["--copy-links", "-k"],
    options:
      "-e,--rsh=command --rsync-path=command -a,--archive -v,--verbose -q,--quiet -c,--checksum -r,--recursive -R,--relative -b,--backup --backup-dir=write-tree --suffix=text -u,--update --inplace --append -d,--dirs -l,--links -L,--copy-links --copy-unsafe-links --safe-links -k -K -H,--hard-links -p,--perms -E --chmod=text " +
      "-A,--acls -X,--xattrs -o,--owner -g,--group -D --devices --specials -t,--times -O -J --super --fake-super -S,--sparse -n,--dry-run -W,--whole-file -x -B=text --existing --ignore-existing --remove-source-files! --del! --delete! --delete-before! --delete-during! --delete-delay! --delete-after! --delete-excluded! --force " +
      "--max-delete=text --max-size=text --min-size=text --partial --partial-dir=write-tree -m -T,--temp-dir=write-tree -y --compare-dest=read-tree --copy-dest=read-tree --link-dest=read-tree -z,--compress --compress-level=text -C -f,--filter=text -F --exclude=text --exclude-from=read --include=text --include-from=read --files-from=read -0 -s " +
      "--address=text --port=text --sockopts=text --stats -8 -h,--human-readable --progress -P -i,--itemize-changes -M,--remote-option=text --out-format=text --log-file=write --password-file=read --list-only --bwlimit=text --write-batch=write --only-write-batch=write --read-batch=read --timeout=text --daemon! --config=environment --info=text --debug=text --mkpath -4 -6",
    operands: { rest: "remote-read", last: "remote-write" },
    special: "rsync",
  },
  {
    names: ["nc", "ncat", "netcat", "socat", "telnet", "ftp", "lftp", "tftp"],
    options:
      "-e,--exec=command -c,--sh-exec=command -l -p=text -v -z -w=text -u -n -k -N -q=text -s=text -x=host",
    operands: { first: "host", rest: "text" },
    network: true,
    special: "socket",
  },
  {
    names: [
      "ping",
      "ping6",
      "traceroute",
      "tracepath",
      "mtr",
      "dig",
      "drill",
      "delv",
      "nslookup",
      "host",
      "whois",
      "nmap",
      "arping",
    ],
    options:
      "-c=text -i=text -w=text -W=text -t=text -s=text -n -q -4 -6 -a -p=text -f=read -x -oN=write -oX=write -oG=write -oA=write -iL=read --script=code",
    operands: { rest: "host" },
    network: true,
  },
  {
    names: ["resolvectl", "systemd-resolve"],
    options: "-4 -6 -i=text -p=text -t,--type=text -c,--class=text --no-pager --json=text",
    optionsAnywhere: true,
    subcommandOptional: true,
    operands: { rest: "host" },
    subcommands: {
      "query,service": { operands: { rest: "host" }, network: true },
      "status,statistics,dns,domain": { operands: { rest: "text" } },
    },
  },
  {
    names: ["ssh-keygen"],
    special: "keygen",
    options:
      "-t=text -b=text -C=text -N=text -P=text -f=write -y -l -p -R=text -F=text -q -e -i -m=text -s=read -D=execute -H -B -v -A -a=text -I=text",
  },
  {
    names: ["ssh-add", "ssh-agent", "gpg", "gpg2"],
    options:
      "-i=read -f=read -in=read -out=write -inkey=read -o,--output=write -d,--decrypt -e,--encrypt -s,--sign -r,--recipient=text --verify --import --export -K=text --keyserver=url",
  },
  {
    names: ["openssl"],
    options:
      "-in=read -out=write -keyout=write -key=read -inkey=read -CA=read -CAkey=read -cert=read -certfile=read -config=environment -engine=environment -provider=environment -provider-path=environment " +
      "-passin=text -passout=text -pass=text -k=text -K=text -iv=text -subj=text -days=text -newkey=text -connect=host -host=host -proxy=host -url=url -servername=text -CAfile=read -CApath=read-tree -signkey=read -extfile=read -rand=read -writerand=write " +
      "-sign=read -verify=read -signature=read -d -e -a -x509 -nodes -noout -text -new -req -pubout -pubin -salt -pbkdf2 -iter=text -md=text -hex -base64",
    singleDashLong: true,
    subcommandWords: 1,
    special: "openssl",
  },
];
