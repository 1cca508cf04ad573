#!/usr/bin/env bash
# Makes what the compose file mounts and no repository may hold: an authority, certificates, report keys,
# the device's key, passwords. Writes into ./secrets, keeps what is there. Needs openssl.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")"
mkdir -p secrets
cd secrets
umask 077

authority() {
	[ -e ca.key ] && return
	openssl genpkey -quiet -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out ca.key
	openssl req -x509 -new -key ca.key -days 3650 -subj '/O=Viaduct/CN=Viaduct authority' -out ca.pem
}

certificate() { # name: CN and DNS name, as the containers call each other
	[ -e "$1.key" ] && return
	openssl genpkey -quiet -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$1.key"
	openssl req -new -key "$1.key" -subj "/O=Viaduct/CN=$1" -out "$1.csr"
	openssl x509 -req -in "$1.csr" -CA ca.pem -CAkey ca.key -CAcreateserial -days 365 -out "$1.pem" \
		-extfile <(printf 'subjectAltName=DNS:%s,DNS:localhost\n' "$1") 2>/dev/null
	rm "$1.csr"
}

ed25519() { [ -e "$1" ] || openssl genpkey -quiet -algorithm ED25519 -out "$1"; }
raw_public_key() { openssl pkey -in "$1" -pubout -outform DER | tail -c 32 | base64; }
password() { [ -e "$1" ] || openssl rand -hex 12 >"$1"; }

authority
for name in danum-billing ims-bridge snapt-1 snapt-2; do certificate "$name"; done
for name in snapt-1 snapt-2; do ed25519 "$name.report.key"; done
for name in device.key token.key; do ed25519 "$name"; done
for name in alice.password bob.password operator.password postgres.password rest.token; do password "$name"; done
[ -e credential.key ] || openssl rand -base64 32 >credential.key # seals SIP credentials in the database
cp postgres.password postgres-server.password # the database's own user, another one, reads this copy
chmod 644 ./*.pem postgres-server.password
chmod 700 .
if [ "$(id -u)" = 0 ]; then
	chown -R 10001:10001 .
else
	echo "the containers run as uid 10001 and must read secrets/: sudo chown -R 10001:10001 $PWD" >&2
fi

for name in snapt-1 snapt-2; do
	sed -i "s:\({id\: $name, report-key\: \"\)[^\"]*:\1$(raw_public_key "$name.report.key"):" ../configuration/ims-bridge.yml
done
echo "secrets/ is filled; the page's log-ins: alice $(cat alice.password), operator $(cat operator.password)"
