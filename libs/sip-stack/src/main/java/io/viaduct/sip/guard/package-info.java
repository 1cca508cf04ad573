/// Checks every message before other code reads it. It needs no socket: it takes bytes and returns
/// a verdict.
///
/// The guard is needed because the stack's parser has a remote denial of service: it never ends on
/// a Via comment that ends in a backslash. Also, the stack answers an unparsable message with the
/// whole message.
@NullMarked
package io.viaduct.sip.guard;

import org.jspecify.annotations.NullMarked;
