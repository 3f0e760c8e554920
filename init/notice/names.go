package notice

import "strings"

// IsSession reports whether a variable belongs to a session, a shell or a runtime, and not to a server.
func IsSession(variable string) bool {
	const whole = " DISPLAY WAYLAND_DISPLAY XAUTHORITY SSH_AUTH_SOCK SSH_AGENT_PID SSH_ASKPASS PWD OLDPWD SHLVL _ " +
		"LS_COLORS LSCOLORS COLORTERM COLORFGBG TERMINFO TMUX TMUX_PANE STY WINDOW WINDOWID WINDOWPATH COLUMNS LINES " +
		"MAIL PAGER LESS LESSOPEN LESSCLOSE EDITOR VISUAL BROWSER HOSTNAME HOSTTYPE OSTYPE MACHTYPE MANPATH INFOPATH " +
		"MANAGERPID MANAGERPIDFDID INVOCATION_ID JOURNAL_STREAM SYSTEMD_EXEC_PID NOTIFY_SOCKET GDMSESSION " +
		"SESSION_MANAGER DESKTOP_SESSION DESKTOP_STARTUP_ID GPG_AGENT_INFO GPG_TTY TMPDIR TMP TEMP USERNAME " +
		"WSL_DISTRO_NAME WSL_INTEROP WSLENV NAME HISTSIZE HISTFILE HISTCONTROL PS1 PS2 PROMPT_COMMAND IFS LANGUAGE " +
		"INIT_CWD NODE COLOR FORCE_COLOR NO_COLOR CLICOLOR CLAUDECODE TERM SHELL HOME PATH USER LOGNAME LANG TZ " +
		"VTE_VERSION FPATH MFLAGS VIRTUAL_ENV UV UV_RUN_RECURSION_DEPTH PROJECT_CWD BERRY_BIN_FOLDER APPDIR ARGV0 " +
		"OWD SNAP ORIGINAL_XDG_CURRENT_DESKTOP NO_AT_BRIDGE WT_SESSION WT_PROFILE_ID CURSOR_TRACE_ID "
	if strings.Contains(whole, " "+variable+" ") {
		return true
	}
	for _, prefix := range [...]string{"XDG_", "DBUS_", "TERM_", "LC_", "GTK_", "QT_", "GNOME_", "KDE_", "GIO_",
		"SSH_", "SUDO_", "npm_", "VSCODE_", "ELECTRON_", "CHROME_", "SNAP_", "FLATPAK_", "APPIMAGE", "KONSOLE_",
		"ITERM_", "LISTEN_", "MAKE", "IM_CONFIG_", "CLAUDE_CODE_", "NVM_", "PYENV_", "CONDA_", "PNPM_", "COREPACK_",
		"GDK_", "GJS_", "XTERM_", "KITTY_", "ALACRITTY_", "WEZTERM_", "MEMORY_PRESSURE_", "DIRENV_", "__"} {
		if strings.HasPrefix(variable, prefix) {
			return true
		}
	}
	return false
}

// IsSetting reports whether a variable looks like a key or an address that a server needs.
func IsSetting(variable string) bool {
	if IsSession(variable) {
		return false
	}
	for part := range strings.SplitSeq(strings.ToUpper(variable), "_") {
		for _, word := range [...]string{"KEY", "TOKEN", "SECRET", "PASS", "URL", "CREDENTIAL", "CONNECTION",
			"CONFIG"} {
			if strings.Contains(part, word) && part != "CURL" {
				return true
			}
		}
	}
	return false
}

// IsCertificate reports whether a variable names a file of certificates, or a folder of them, for one program or one
// library: those that all programs share are forwarded anyway.
func IsCertificate(variable string) bool {
	if variable == "PIP_CERT" || variable == "DENO_CERT" || variable == "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH" {
		return true
	}
	for _, end := range [...]string{"_CA_BUNDLE", "_CA_CERTS", "_CA_CERT", "_CAFILE", "_CAINFO", "_CA_FILE", "_CA_PATH",
		"_CAPATH", "_TRUSTSTORE", "_CERT_FILE"} {
		if strings.HasSuffix(strings.ToUpper(variable), end) {
			return true
		}
	}
	return false
}
