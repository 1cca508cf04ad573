# tinc 1.0 over UDP, router mode, strongest zlib.
compression=9
. "$peers/tinc.sh"
