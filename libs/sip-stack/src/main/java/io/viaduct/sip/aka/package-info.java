/// Authentication and key agreement of 3GPP with Milenage (TS 33.102, TS 35.206), the server's end.
/// Opens no socket and reads no clock: time is an argument.
@NullMarked
package io.viaduct.sip.aka;

import org.jspecify.annotations.NullMarked;
