/// Decides about every message before anything else reads it. Pure: bytes in, verdict out.
///
/// Needed because the parser of the stack below has a remote denial of service (a Via comment that
/// ends in a backslash never ends there) and answers what it cannot parse with the whole message.
@NullMarked
package io.viaduct.sip.guard;

import org.jspecify.annotations.NullMarked;
