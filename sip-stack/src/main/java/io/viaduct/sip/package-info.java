/// SIP (RFC 3261) as the rest of Viaduct sees it: messages as records, one endpoint that sends
/// requests and hands over incoming ones. No type of the stack below it appears here.
@NullMarked
package io.viaduct.sip;

import org.jspecify.annotations.NullMarked;
