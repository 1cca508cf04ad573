/// Credit control between SNAPTs and billing: the bridge checks who asks and relays (ADR 0041).
@NullMarked
package io.viaduct.bridge.credit;

import org.jspecify.annotations.NullMarked;
