/// Digest access authentication for SIP, client and server (RFC 7616, RFC 8760; RFC 3261 section
/// 22). Opens no socket and reads no clock: time is an argument.
@NullMarked
package io.viaduct.sip.digest;

import org.jspecify.annotations.NullMarked;
