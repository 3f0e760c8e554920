package job

import (
	"path/filepath"
	"testing"
)

// Managers with what the sentences take of their rows.
var (
	npmRow  = Manager{Name: "npm", Logins: "npmrc"}
	pypiRow = Manager{Name: "pypi"}
	goRow   = Manager{Name: "go"}
)

// What a manager said last names what it waits for.
func TestAwaited(t *testing.T) {
	for _, c := range []struct {
		m           *Manager
		words, want string
	}{
		{&npmRow, "", ""},
		{&npmRow, "npm silly fetch manifest @x/y@^1\n", "@x/y"},
		{&npmRow, "npm sill fetch manifest x@*\nnpm http fetch GET 200 https://r.example/x 12ms (cache miss)\n", ""},
		{&npmRow, "npm silly fetch manifest x@*\nnpm http fetch GET 200 https://r.example/x 1ms\nnpm silly fetch manifest @x/y@1\n" +
			"npm silly fetch manifest z@1\nnpm http fetch GET 200 https://r.example/z 1ms\n", "@x/y"},
		{&npmRow, "npm silly fetch manifest @x/y@*\nnpm http fetch GET 200 https://r.example/npm/@x%2fy 1ms\n", ""},
		{&npmRow, "npm silly tarball no local data for @x/y@https://r.example/@x/y/-/y-1.tgz. Extracting by manifest.\n",
			"https://r.example/@x/y/-/y-1.tgz"},
		{&npmRow, "npm silly tarball no local data for x@https://r.example/x/-/x-1.tgz. Extracting by manifest.\n" +
			"npm http fetch GET 200 https://r.example/x/-/x-1.tgz 7ms (cache miss)\n", ""},
		{&pypiRow, "  Getting page https://i.example/simple/x/\nCollecting x>=1\n", "x>=1"},
		{&pypiRow, "Collecting x\n  Downloading https://i.example/x-1.whl (2 kB)\n", "https://i.example/x-1.whl"},
		{&goRow, "# get https://p.example/x.example/@v/v1.info\n# get https://p.example/x.example/y/@v/v1.info\n",
			"https://p.example/x.example/y/@v/v1.info"},
		{&goRow, "# get https://p.example/x/@v/v1.zip\n# get https://p.example/x/@v/v1.zip: 200 OK (0.1s)\n", ""},
	} {
		if got := speeches[c.m.Name].awaited(c.words); got != c.want {
			t.Errorf("%q: %q, want %q", c.words, got, c.want)
		}
	}
}

// What a manager says of a registry's answer names the package or the URL, and a log-in that is wanted the flag.
func TestSentences(t *testing.T) {
	const reset = "npm error code ECONNRESET\nnpm error network "
	for _, row := range []struct {
		m           *Manager
		words, want string
	}{
		{&npmRow, "npm error code FETCH_ERROR\nnpm error errno FETCH_ERROR\nnpm error invalid json response body at http://u:s3cret@127.0.0.1:4873/html\n",
			"invalid json response body at http://127.0.0.1:4873/html"},
		{&npmRow, "npm warn tarball tarball data for x@http://127.0.0.1:4873/x/-/x-1.tgz (null) seems to be corrupted.\n" +
			"npm error code Z_DATA_ERROR\nnpm error errno Z_DATA_ERROR\nnpm error zlib: incorrect data check\n",
			"the archive of x has not the hash that its registry says, or cannot be unpacked: it was changed or cut off on its way"},
		{&npmRow, "npm http fetch GET 401 http://127.0.0.1:4873/@s%2fc401 205ms (cache skip)\nnpm error code E401\n" +
			"npm error Unable to authenticate, your authentication token seems to be invalid.\n",
			"http://127.0.0.1:4873/@s%2fc401 (401) is not given to somebody without a log-in: write one into your npmrc, and type --registry-auth"},
		{&npmRow, "npm http fetch GET 404 http://127.0.0.1:4873/@s%2fx 205ms\nnpm error code E404\nnpm error 404 Not Found - GET http://127.0.0.1:4873/@s%2fx\n",
			"404 Not Found - GET http://127.0.0.1:4873/@s%2fx"},
		{&npmRow, reset + "aborted\nnpm error network This is a problem\n", "a registry has ended its answer before the end"},
		{&npmRow, reset + "Invalid response body while trying to fetch http://127.0.0.1:4873/x: aborted\n",
			"Invalid response body while trying to fetch http://127.0.0.1:4873/x: aborted"},
		{&npmRow, "npm error code EBADPLATFORM\nnpm error notsup Unsupported platform for x@1.0.0: wanted {}\n", "Unsupported platform for x@1.0.0: wanted {}"},
		{&npmRow, "npm ERR! code ETARGET\nnpm ERR! notarget No matching version found for x@9.\n", "No matching version found for x@9."},
		{&npmRow, "npm error code ENOVERSIONS\nnpm error No versions available for good\n", "No versions available for good: with --min-age, none that is as old"},
		{&pypiRow, "x\nERROR: Could not find a version that satisfies the requirement x==9 (from versions: 1.0)\nERROR: No matching distribution found for x==9\n",
			"Could not find a version that satisfies the requirement x==9 (from versions: 1.0)"},
		{&pypiRow, "x\nERROR: Could not install packages due to an OSError.\nTraceback\n  File\nrequests.exceptions.ConnectionError: no\nRemoved build tracker: 'x'\n",
			"ConnectionError: no"},
		{&goRow, "# get x\ngo: downloading x.example v1\ngo: x.example@v1: zip: not a valid zip file\n", "x.example@v1: zip: not a valid zip file"},
		{&goRow, "# x.example\n/s/p/modules/x.example@v1/main.go:3:15: undefined: x\n", "x.example@v1/main.go:3:15: undefined: x"},
		{&goRow, "mkdir x\ngo: cannot do that\n", "cannot do that"},
		{&goRow, "mkdir x\n", ""},
		{&goRow, "# get x\ngo: downloading x.example v1\nmkdir x\ncompile: signal: killed\n", ""},
	} {
		j := &Job{Settings: new(Settings), Stage: "/s", Private: filepath.Join("/s", "p")}
		if got := j.explain(row.m, row.words); got != row.want {
			t.Errorf("%q: %q, want %q", row.words, got, row.want)
		}
	}
	for _, row := range []struct {
		m           *Manager
		s           Settings
		scripts     bool
		words, want string
	}{
		{&pypiRow, Settings{Login: true, Logins: []Login{{Key: Netrc}}}, true,
			"https://i.example:443 \"GET /simple/x/ HTTP/1.1\" 401 9\nERROR: No matching distribution found for x\n",
			"https://i.example:443/simple/x/ (401) is not given to somebody without a log-in, and with --scripts there is none"},
		{&npmRow, Settings{Login: true}, false, "npm http fetch GET 404 http://127.0.0.1:4873/@s%2fx 205ms\n" +
			"npm error code E404\nnpm error 404 Not Found - GET http://127.0.0.1:4873/@s%2fx\n",
			"http://127.0.0.1:4873/@s%2fx (404) may be hidden from somebody without a log-in: --registry-auth takes those of your configuration"},
		{&npmRow, Settings{Login: true}, false, "npm http fetch GET 404 http://127.0.0.1:4873/x 205ms\n" +
			"npm error code E404\nnpm error 404 Not Found - GET http://127.0.0.1:4873/x\n", "404 Not Found - GET http://127.0.0.1:4873/x"},
	} {
		j := &Job{Settings: &row.s, Scripts: row.scripts, Stage: "/s", Private: filepath.Join("/s", "p")}
		if got := j.explain(row.m, row.words); got != row.want {
			t.Errorf("%q: %q, want %q", row.words, got, row.want)
		}
	}
}
