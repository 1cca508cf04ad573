/// SIP (RFC 3261) for the rest of Viaduct: messages as records, and an endpoint that sends requests
/// and hands over incoming ones. No type of JAIN-SIP appears here.
@NullMarked
package io.viaduct.sip;

import org.jspecify.annotations.NullMarked;
