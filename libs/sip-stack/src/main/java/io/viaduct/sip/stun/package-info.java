/// STUN binding messages, by which a user agent keeps the address that a NAT gave it (RFC 8489, RFC
/// 5626 section 4.4.2).
@NullMarked
package io.viaduct.sip.stun;

import org.jspecify.annotations.NullMarked;
