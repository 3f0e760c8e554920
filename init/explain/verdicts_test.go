package explain

import (
	"slices"
	"strings"
	"testing"
)

// What the lines of a policy say: the verdict at a pointer, and a part of the text.
func TestVerdicts(t *testing.T) {
	for _, c := range []struct {
		doc, pointer string
		want         Verdict
		text         string
	}{
		{`"filesystem": {"allowRead": ["~"]}`, "/filesystem/allowRead/0", Dangerous, "your whole home, with secrets where you have them: ~/.ssh"},
		{`"filesystem": {"allowRead": ["/home"]}`, "/filesystem/allowRead/0", Dangerous, "can read /home, and so your whole home"},
		{`"filesystem": {"allowRead": ["/home"], "denyRead": ["~"]}`, "/filesystem/allowRead/0", Wide, "the homes of this machine"},
		{`"filesystem": {"allowRead": ["~/notes"]}`, "/filesystem/allowRead/0", Note, "can read ~/notes"},
		{`"filesystem": {"allowRead": ["~/.ssh"]}`, "/filesystem/allowRead/0", Dangerous, "SSH keys"},
		{`"filesystem": {"allowRead": ["~/.ssh/id_ed25519"]}`, "/filesystem/allowRead/0", Dangerous, "SSH keys"},
		{`"filesystem": {"allowRead": ["/srv/keys/id_work"]}`, "/filesystem/allowRead/0", Dangerous, "secret"},
		{`"filesystem": {"allowRead": ["/srv/app/id_map.js"]}`, "/filesystem/allowRead/0", Note, ""},
		{`"filesystem": {"allowRead": ["~/.ssh/known_hosts"]}`, "/filesystem/allowRead/0", Note, ""},
		{`"filesystem": {"allowRead": ["~/.kube/config"]}`, "/filesystem/allowRead/0", Dangerous, "~/.kube/config: "},
		{`"filesystem": {"allowRead": ["~/.aws/config"]}`, "/filesystem/allowRead/0", Dangerous, "~/.aws/config: "},
		{`"filesystem": {"allowRead": ["/srv/.gnupg/known_hosts", "/srv/.gnupg/a.pub"]}`, "/filesystem/allowRead/1", Dangerous, "keys and passwords"},
		{`"filesystem": {"allowRead": ["~/.config"]}`, "/filesystem/allowRead/0", Dangerous, "~/.config/gcloud"},
		{`"filesystem": {"allowRead": ["~/.docker"], "denyRead": ["~/.docker/config.json"]}`, "/filesystem/allowRead/0", Note, ""},
		{`"filesystem": {"allowRead": ["~/.docker"], "denyRead": ["~/.docker/config.json"]}, "minConfinement": "reduced"`, "/filesystem/allowRead/0", Dangerous, "~/.docker/config.json"},
		{`"filesystem": {"allowRead": ["~/.docker"], "denyRead": ["~/.docker/config.json"]}, "minConfinement": "reduced"`, "/filesystem/denyRead/0", Safe, "the verdicts here count none"},
		{`"filesystem": {"allowRead": ["~/.docker"], "denyRead": ["~/.docker/config.json"]}, "minConfinement": "full"`, "/filesystem/allowRead/0", Note, ""},
		{`"filesystem": {"allowRead": ["~/a", "~/a/b"], "denyRead": ["~/a/b"]}`, "/filesystem/allowRead/1", Safe, "a denial has the same path"},
		{`"filesystem": {"allowRead": ["project/.env"]}`, "/filesystem/allowRead/0", Dangerous, "holds a secret"},
		{`"filesystem": {"allowRead": ["/home/bob/x"]}`, "/filesystem/allowRead/0", Wide, "another user"},
		{`"filesystem": {"allowWrite": ["/home/bob/x"]}`, "/filesystem/allowWrite/0", Wide, "another user"},
		{`"filesystem": {"allowWrite": ["/home"], "denyRead": ["~"]}`, "/filesystem/allowWrite/0", Wide, "the homes of this machine"},
		{`"filesystem": {"allowRead": ["/etc"]}`, "/filesystem/allowRead/0", Wide, "settings of this machine"},
		{`"filesystem": {"allowRead": ["/etc/nginx"]}`, "/filesystem/allowRead/0", Note, "can read /etc/nginx"},
		{`"filesystem": {"allowRead": ["/run/secrets/db"]}`, "/filesystem/allowRead/0", Dangerous, "secrets of this container"},
		{`"filesystem": {"allowRead": ["/srv/data"]}`, "/filesystem/allowRead/0", Note, ""},
		{`"filesystem": {"allowWrite": ["~"]}`, "/filesystem/allowWrite/0", Dangerous, "can write what your shell executes at login"},
		{`"filesystem": {"allowWrite": ["~/project"]}`, "/filesystem/allowWrite/0", Note, "can read and change ~/project"},
		{`"filesystem": {"allowWrite": ["~/project/.git"]}`, "/filesystem/allowWrite/0", Dangerous, "hooks and configuration"},
		{`"filesystem": {"allowWrite": ["~/project/.vscode"]}`, "/filesystem/allowWrite/0", Dangerous, "a launch refuses"},
		{`"filesystem": {"allowWrite": ["~/.bashrc"]}`, "/filesystem/allowWrite/0", Dangerous, "a launch refuses"},
		{`"filesystem": {"allowWrite": ["~/.local/bin"]}`, "/filesystem/allowWrite/0", Dangerous, "your shell finds programs there"},
		{`"filesystem": {"allowWrite": ["~/.local"]}`, "/filesystem/allowWrite/0", Dangerous, "~/.local/bin"},
		{`"filesystem": {"allowWrite": ["~/.config"], "denyWrite": ["~/.config/fish", "~/.config/autostart", "~/.config/systemd", "~/.config/environment.d"]}`,
			"/filesystem/allowWrite/0", Dangerous, "can read and change ~/.config, with secrets where you have them: ~/.config/gcloud"},
		{`"filesystem": {"allowWrite": ["~/.local/share"], "denyRead": ["~/.local/share/keyrings", "~/.local/share/kwalletd", "~/.local/share/fish", "~/.local/share/mcp-sandbox"], "denyWrite": ["~/.local/share/systemd"]}`,
			"/filesystem/allowWrite/0", Wide, "settings of your other programs"},
		{`"filesystem": {"allowWrite": ["~/.local/share"], "denyRead": ["~/.local/share/keyrings", "~/.local/share/kwalletd", "~/.local/share/fish", "~/.local/share/mcp-sandbox"], "denyWrite": ["-~/.local/share/systemd"]}`,
			"/filesystem/allowWrite/0", Dangerous, "start files that do not exist yet, as ~/.local/share/systemd"},
		{`"filesystem": {"allowWrite": ["~/Documents"]}`, "/filesystem/allowWrite/0", Wide, "settings of your other programs"},
		{`"filesystem": {"allowWrite": ["/usr/local/bin"]}`, "/filesystem/allowWrite/0", Dangerous, "programs of this machine"},
		{`"filesystem": {"allowWrite": ["/tmp"]}`, "/filesystem/allowWrite/0", Wide, "put aside"},
		{`"filesystem": {"allowWrite": ["~/x"], "denyWrite": ["~/x"]}`, "/filesystem/allowWrite/0", Note, "and not write it"},
		{`"level": "strict", "filesystem": {"allowWrite": ["~/x"]}`, "/filesystem/allowWrite/0", Note, "nothing is written in level strict"},
		{`"filesystem": {"default": "read"}`, "/filesystem/default", Dangerous, "~/.ssh"},
		{`"filesystem": {"default": "read", "denyRead": ["~"]}`, "/filesystem/default", Wide, "but your home"},
		{`"filesystem": {"denyRead": ["/srv"]}`, "/filesystem/denyRead/0", Safe, "no grant holds it"},
		{`"filesystem": {"allowRead": ["~"], "denyRead": ["-~/.aws"]}`, "/filesystem/denyRead/0", Safe, "what comes there later can be read"},
		{`"filesystem": {"allowRead": ["~"], "denyRead": ["~/.aws"]}`, "/filesystem/denyRead/0", Safe, "cannot read ~/.aws"},
		{`"level": "network"`, "/level", Dangerous, "whole network"},
		{`"level": "privileged"`, "/level", Dangerous, "not confined"},
		{`"level": "privileged", "filesystem": {"denyRead": ["~/.ssh"]}`, "/filesystem/denyRead/0", Safe, "has no effect"},
		{`"minConfinement": "limits"`, "/minConfinement", Dangerous, "whatever you can"},
		{`"minConfinement": "none"`, "/minConfinement", Dangerous, "--min-confinement none"},
		{`"network": {"allowedDomains": ["api.example.com"]}`, "/network/allowedDomains/0", Note, "can reach api.example.com on ports 80 and 443"},
		{`"network": {"allowedDomains": ["*.github.io"]}`, "/network/allowedDomains/0", Wide, "can reach every name below github.io on ports 80 and 443: anybody can have a name below github.io"},
		{`"network": {"allowedDomains": ["me.github.io"]}`, "/network/allowedDomains/0", Note, ""},
		{`"network": {"allowedDomains": ["github.com:22"]}`, "/network/allowedDomains/0", Wide, "strangers who have accounts there"},
		{`"network": {"allowedDomains": ["*.github.com"]}`, "/network/allowedDomains/0", Wide, "(api.github.com, uploads.github.com"},
		{`"network": {"allowedDomains": ["*.github.com"], "deniedDomains": ["api.github.com", "uploads.github.com", "ssh.github.com", "gist.github.com"]}`,
			"/network/allowedDomains/0", Note, "every name below github.com"},
		{`"network": {"allowedDomains": ["*.github.com"], "deniedDomains": ["*.github.com"]}`, "/network/allowedDomains/0", Safe, "deniedDomains has it too"},
		{`"network": {"allowedDomains": ["*.github.io"], "deniedDomains": ["x.github.io"]}`, "/network/allowedDomains/0", Wide, "anybody"},
		{`"network": {"allowedDomains": ["*.cloudflarestorage.com"], "deniedDomains": ["r2.cloudflarestorage.com"]}`, "/network/allowedDomains/0", Wide, "(r2.cloudflarestorage.com)"},
		{`"network": {"allowedDomains": ["*.telegram.org"], "deniedDomains": ["api.telegram.org"]}`, "/network/allowedDomains/0", Note, ""},
		{`"network": {"allowedDomains": ["webhook.site"]}`, "/network/allowedDomains/0", Dangerous, "anybody can fetch"},
		{`"network": {"allowedDomains": ["a.webhook.site:443"]}`, "/network/allowedDomains/0", Dangerous, "anybody can fetch"},
		{`"network": {"allowedDomains": ["abc.ngrok.io"]}`, "/network/allowedDomains/0", Wide, "strangers"},
		{`"network": {"allowedDomains": ["gist.github.com", "*.pastebin.com"]}`, "/network/allowedDomains/1", Dangerous, "pastebin.com"},
		{`"network": {"allowedDomains": ["smtp.example.com:587"]}`, "/network/allowedDomains/0", Wide, "send mail"},
		{`"network": {"allowedDomains": ["localhost:2375"]}`, "/network/allowedDomains/0", Dangerous, "root"},
		{`"network": {"allowedDomains": ["localhost:5432"]}`, "/network/allowedDomains/0", Note, "localhost port 5432"},
		{`"network": {"allowedDomains": ["192.168.1.1"]}`, "/network/allowedDomains/0", Note, "your local network"},
		{`"network": {"allowedDomains": ["a.example"], "deniedDomains": ["b.example"]}`, "/network/deniedDomains/0", Safe, "no allowed domain holds it"},
		{`"network": {"allowedDomains": ["a.example"], "allowPrivate": true}`, "/network/allowPrivate", Wide, "your local network"},
		{`"network": {"allowPrivate": true}`, "/network/allowPrivate", Safe, "once there are"},
		{`"network": {"allowedDomains": ["a.example"], "checkServerName": false}`, "/network/checkServerName", Wide, "TLS server name"},
		{`"network": {"allowUnixSockets": ["$SSH_AUTH_SOCK"]}`, "/network/allowUnixSockets/0", Dangerous, "your ssh-agent signs with every key"},
		{`"network": {"allowUnixSockets": ["/tmp/ssh-abc/agent.17"]}`, "/network/allowUnixSockets/0", Dangerous, "your ssh-agent signs with every key"},
		{`"network": {"allowUnixSockets": ["/run/user/1000/gnupg/S.gpg-agent"]}`, "/network/allowUnixSockets/0", Dangerous, "your ssh-agent signs with every key"},
		{`"network": {"allowUnixSockets": ["~/.gnupg/S.gpg-agent.ssh"]}`, "/network/allowUnixSockets/0", Dangerous, "your ssh-agent signs with every key"},
		{`"network": {"allowUnixSockets": ["/run/user/1000/keyring/ssh"]}`, "/network/allowUnixSockets/0", Dangerous, "your ssh-agent signs with every key"},
		{`"network": {"allowUnixSockets": ["/run/user/1000/gcr/ssh"]}`, "/network/allowUnixSockets/0", Dangerous, "your ssh-agent signs with every key"},
		{`"network": {"allowUnixSockets": ["~/.1password/agent.sock"]}`, "/network/allowUnixSockets/0", Dangerous, "your ssh-agent signs with every key"},
		{`"network": {"allowUnixSockets": ["/run/user/1000/ssh-agent.socket"]}`, "/network/allowUnixSockets/0", Dangerous, "your ssh-agent signs with every key"},
		{`"network": {"allowUnixSockets": ["/srv/ssh-agent"]}`, "/network/allowUnixSockets/0", Dangerous, "your ssh-agent signs with every key"},
		{`"network": {"allowUnixSockets": ["/srv/app/ssh"]}`, "/network/allowUnixSockets/0", Wide, "is not confined"},
		{`"network": {"allowUnixSockets": ["-/var/run/docker.sock"]}`, "/network/allowUnixSockets/0", Dangerous, "the server gets the rights of Docker"},
		{`"network": {"allowUnixSockets": ["/run/x"]}`, "/network/allowUnixSockets/0", Wide, "is not confined"},
		{`"network": {"publish": ["8080:3000"]}`, "/network/publish/0", Note, "127.0.0.1:8080"},
		{`"network": {"publish": ["0.0.0.0:8080:3000"]}`, "/network/publish/0", Wide, "every machine"},
		{`"env": {"API_KEY": "x"}`, "/env/API_KEY", Note, "whose value stands in the policy"},
		{`"env": {"SSL_CERT_DIR": "/home/ann/.ssh"}`, "/env/SSL_CERT_DIR", Note, "sees the certificates in the files of the folders that it names"},
		{`"envVars": ["NODE_EXTRA_CA_CERTS"]`, "/envVars/0", Note, "sees the certificates in the file that it names"},
		{`"envVars": ["GITHUB_TOKEN"]`, "/envVars/0", Note, "looks like a secret"},
		{`"envVars": ["AWS_*"]`, "/envVars/0", Note, "begin with AWS_"},
		{`"limits": {"memory": "unlimited"}`, "/limits/memory", Wide, "no limit on memory"},
		{`"limits": {"pids": "unlimited"}`, "/limits/pids", Wide, "no limit on processes"},
		{`"limits": {"cpu": "500m"}`, "/limits/cpu", Safe, "0.5 cores"},
		{`"umask": "000"`, "/umask", Wide, "every user"},
		{`"umask": "002"`, "/umask", Note, "group"},
		{`"umask": "077"`, "/umask", Safe, "read or change"},
		{`"filesystem": {"default": "read"}`, "/state", Safe, "has an empty /tmp of its own"},
		{`"filesystem": {"allowWrite": ["/tmp"]}`, "/state", Safe, "has an empty home of its own"},
		{`"filesystem": {"allowWrite": ["/tmp"]}`, "/filesystem/allowWrite/0", Wide, "/tmp: what all programs of this machine put aside"},
		{`"network": {"allowedDomains": ["host.docker.internal:2375"]}`, "/network/allowedDomains/0", Dangerous, "Docker"},
		{`"network": {"allowedDomains": ["10.0.0.1:2376"]}`, "/network/allowedDomains/0", Dangerous, "one of your local network: Docker's port"},
		{`"network": {"allowedDomains": ["198.51.100.1:25"]}`, "/network/allowedDomains/0", Wide, "send mail"},
		{`"filesystem": {"allowRead": ["/var/home/bob"]}`, "/filesystem/allowRead/0", Dangerous, "/var/home/bob/.ssh"},
		{`"filesystem": {"allowRead": ["/var/home/bob/x"]}`, "/filesystem/allowRead/0", Wide, "another user"},
		{`"filesystem": {"allowRead": ["/mnt/c/Users/ann/.ssh"]}`, "/filesystem/allowRead/0", Dangerous, "keys and passwords"},
		{`"filesystem": {"allowRead": ["/srv/backup/.aws/credentials"]}`, "/filesystem/allowRead/0", Dangerous, "keys and passwords"},
		{`"filesystem": {"allowRead": ["/srv/backup/.ssh/id_x.pub"]}`, "/filesystem/allowRead/0", Note, ""},
		{`"filesystem": {"allowWrite": ["/usr/local/bin/x"]}`, "/filesystem/allowWrite/0", Dangerous, "programs of this machine"},
		{`"filesystem": {"allowWrite": ["/usr/local/share/x"]}`, "/filesystem/allowWrite/0", Wide, "programs of this machine"},
		{`"filesystem": {"allowWrite": ["/opt/brew/bin"]}`, "/filesystem/allowWrite/0", Wide, "programs"},
		{`"filesystem": {"allowWrite": ["/opt/x/data"]}`, "/filesystem/allowWrite/0", Note, ""},
		{`"state": "acme"`, "/state", Note, "acme"},
	} {
		e := of(t, `{"version": 1, `+c.doc+`}`)
		i := slices.IndexFunc(e.Lines, func(l Line) bool { return l.Pointer == c.pointer })
		if i < 0 || e.Lines[i].Verdict != c.want || !strings.Contains(e.Lines[i].Text, c.text) {
			t.Errorf("%s: want %s %s %q:\n%s", c.doc, c.want, c.pointer, c.text, textOf(e))
		}
	}
}

// What two keys open only together.
func TestTogether(t *testing.T) {
	for _, c := range []struct {
		doc  string
		want bool
	}{
		{`"filesystem": {"allowRead": ["~"]}, "network": {"allowedDomains": ["api.github.com"]}`, true},
		{`"filesystem": {"allowRead": ["~"]}, "level": "network"`, true},
		{`"filesystem": {"allowRead": ["~"]}, "network": {"allowedDomains": ["api.example.com"]}`, false},
		{`"filesystem": {"allowWrite": ["~/p/.git"]}, "network": {"allowedDomains": ["api.github.com"]}`, false},
		{`"filesystem": {"default": "read", "denyRead": ["~"]}, "network": {"allowedDomains": ["api.github.com"]}`, true},
		{`"filesystem": {"allowRead": ["~/notes"]}, "network": {"allowedDomains": ["api.github.com"]}`, false},
	} {
		e := of(t, `{"version": 1, `+c.doc+`}`)
		if got := strings.Contains(textOf(e), " can give to strangers what it reads"); got != c.want {
			t.Errorf("%s: %t:\n%s", c.doc, got, textOf(e))
		}
	}
}
