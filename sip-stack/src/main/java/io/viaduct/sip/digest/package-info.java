/// Digest access authentication for SIP (RFC 7616, RFC 8760; RFC 3261 section 22), both ends. Pure:
/// no socket, time passed in.
@NullMarked
package io.viaduct.sip.digest;

import org.jspecify.annotations.NullMarked;
