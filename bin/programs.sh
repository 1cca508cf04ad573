# Sourced by ../viaduct: the programs of other projects that the laboratory and the tests use. They are
# installed only if root runs this and apt-get exists. A name that begins with / is a pattern of a file: PostgreSQL's
# server programs and Kamailio's modules are in no directory of the PATH.
# shellcheck shell=bash
PATH=$PATH:/usr/sbin:/sbin # Debian has ip and nft there, and only root has it in the PATH
export PATH

test_programs=(ip:iproute2 tc:iproute2 unshare:util-linux ping:iputils-ping nft:nftables openssl:openssl iperf3:iperf3
	chromium:chromium systemd-analyze:systemd sipp:sip-tester sipsak:sipsak baresip:baresip-core
	freeDiameterd:freediameter freeradius:freeradius radclient:freeradius-utils kamailio:kamailio
	/usr/bin/linphonec:linphone-cli # it has no option -V that ends
	'/usr/lib/*/kamailio/modules/ims_isc.so:kamailio-ims-modules'
	'/usr/lib/*/kamailio/modules/presence.so:kamailio-presence-modules'
	'/usr/lib/postgresql/*/bin/initdb:postgresql') # program:package

is_found() { # program, or pattern of a file
	case $1 in
	/*) compgen -G "$1" >/dev/null ;;
	*) command -v "$1" >/dev/null ;;
	esac
}

lacks() { # succeeds if a program is missing or cannot be run; the shell returns 126 or 127 then
	local status=0
	is_found "$1" || return 0
	[[ $1 != /* ]] || return 1
	"$1" -V >/dev/null 2>&1 </dev/null || status=$?
	[ "$status" = 126 ] || [ "$status" = 127 ]
}

install() { # program:package ...; succeeds if all of them can be run afterwards
	local pair package packages=("${@##*:}")
	if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then return 1; fi
	echo "viaduct: installing ${packages[*]} (apt-get)" >&2
	if ! apt_install "${packages[@]}"; then
		apt-get update -q >/dev/null 2>&1 || true
		# One package that cannot be installed must not keep the others away.
		apt_install "${packages[@]}" || for package in "${packages[@]}"; do apt_install "$package" || true; done
	fi
	for pair in "$@"; do ! lacks "${pair%%:*}" || return 1; done
}

apt_install() {
	DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$@" >/dev/null 2>&1 </dev/null
}

install_test_programs() { # installs missing programs, or prints the command that installs them
	local missing=()
	find_missing
	[ "${#missing[@]}" != 0 ] || return 0
	if install "${missing[@]}"; then return 0; fi
	find_missing # the others are installed now
	[ "${#missing[@]}" != 0 ] || return 0
	cat >&2 <<-X
		viaduct: missing programs: ${missing[*]%%:*}; their tests will be skipped. To install them as root, on Debian or Ubuntu:
		viaduct:   apt-get install --no-install-recommends $(printf '%s\n' "${missing[@]##*:}" | sort -u | tr '\n' ' ')
	X
}

find_missing() { # sets the array of the caller
	local pair
	missing=()
	for pair in "${test_programs[@]}"; do
		is_found "${pair%%:*}" || missing+=("$pair")
	done
}
