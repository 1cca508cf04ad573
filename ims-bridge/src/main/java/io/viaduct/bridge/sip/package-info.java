/// The SIP listener of the bridge.
@NullMarked
package io.viaduct.bridge.sip;

import org.jspecify.annotations.NullMarked;
