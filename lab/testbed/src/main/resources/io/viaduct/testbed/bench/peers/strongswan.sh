# strongSwan in user space: ESP in UDP through its own TUN device ipsec0, IKEv2 with a shared secret.
charon=$(find /usr/lib/ipsec /usr/libexec/ipsec -name charon -type f 2>/dev/null | head -n 1)
: "${charon:=charon}"
needs="$charon swanctl"
# A plugin is no program. One that is absent is named as one: without it no ESP leaves user space.
find /usr/lib/ipsec /usr/libexec/ipsec -name libstrongswan-kernel-libipsec.so 2>/dev/null | grep -q . ||
	needs="$needs libstrongswan-kernel-libipsec.so"
tun=ipsec0
about() { echo "$("$charon" --version 2>/dev/null | head -n 1), kernel-libipsec, aes256gcm16, TUN MTU 1400 (its default), MOBIKE, dead peer detection 1 s"; }
keys() {
	configuration near "$inner_near" "$inner_far" "remote_addrs = $outer"
	configuration far "$inner_far" "$inner_near" ""
}
configuration() { # SIDE, its address inside, the other's, where the other is
	cat >"$work/$1.conf" <<-X
		charon {
			load = random nonce aesni openssl aes sha1 sha2 hmac kdf gcm curve25519 pem kernel-libipsec kernel-netlink socket-default vici updown
			plugins { vici { socket = unix://$work/$1.vici } }
			filelog { stderr { default = 1 } }
		}
	X
	cat >"$work/$1.swan" <<-X
		connections { bench {
			version = 2
			dpd_delay = 1s
			proposals = aes256gcm16-prfsha256-curve25519
			$4
			local { auth = psk
			id = $1 }
			remote { auth = psk }
			children { inner {
				esp_proposals = aes256gcm16
				local_ts = $2/32
				remote_ts = $3/32
			} }
		} }
		secrets { ike-bench { secret = bench } }
	X
}
# Its pid file is of one name for all: each side has a /run of its own.
run() {
	export STRONGSWAN_CONF="$work/$1.conf"
	# shellcheck disable=SC2016
	exec unshare --mount sh -c 'mount -t tmpfs none /run && exec "$0"' "$charon"
}
up() {
	ip address replace "$inner/32" dev lo
	await test -S "$work/$1.vici"
	export STRONGSWAN_CONF="$work/$1.conf"
	swanctl --load-all --uri "unix://$work/$1.vici" --file "$work/$1.swan"
	[ "$1" = far ] || await swanctl --initiate --uri "unix://$work/$1.vici" --child inner
}
