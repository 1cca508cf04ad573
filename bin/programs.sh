# Sourced by ../viaduct: the programs of other projects that the laboratory and the tests use. They are
# installed only if root runs this and apt-get exists.
# shellcheck shell=bash
PATH=$PATH:/usr/sbin:/sbin # Debian has ip and nft there, and only root has it in the PATH
export PATH

test_programs=(ip:iproute2 tc:iproute2 unshare:util-linux ping:iputils-ping nft:nftables openssl:openssl iperf3:iperf3
	chromium:chromium systemd-analyze:systemd sipp:sip-tester sipsak:sipsak baresip:baresip-core
	freeDiameterd:freediameter freeradius:freeradius radclient:freeradius-utils) # program:package

lacks() { # succeeds if a program is missing or cannot be run; the shell returns 126 or 127 then
	local status=0
	command -v "$1" >/dev/null || return 0
	"$1" -V >/dev/null 2>&1 </dev/null || status=$?
	[ "$status" = 126 ] || [ "$status" = 127 ]
}

install() { # program:package ...; succeeds if all of them can be run afterwards
	local pair packages=("${@##*:}")
	if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then return 1; fi
	echo "viaduct: installing ${packages[*]} (apt-get)" >&2
	apt_install "${packages[@]}" || { apt-get update -q >/dev/null 2>&1 && apt_install "${packages[@]}"; } || return 1
	for pair in "$@"; do ! lacks "${pair%%:*}" || return 1; done
}

apt_install() {
	DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$@" >/dev/null 2>&1 </dev/null
}

install_test_programs() { # installs missing programs, or prints the command that installs them
	local pair missing=()
	for pair in "${test_programs[@]}"; do
		command -v "${pair%%:*}" >/dev/null || missing+=("$pair")
	done
	[ "${#missing[@]}" != 0 ] || return 0
	install "${missing[@]}" || cat >&2 <<-X
		viaduct: missing programs: ${missing[*]%%:*}; their tests will be skipped. To install them as root, on Debian or Ubuntu:
		viaduct:   apt-get install --no-install-recommends $(printf '%s\n' "${missing[@]##*:}" | sort -u | tr '\n' ' ')
	X
}
