/// Calls: the proxy of INVITE and of the requests inside its dialogs (RFC 3261 section 16, ADR
/// 0064).
@NullMarked
package io.viaduct.bridge.call;

import org.jspecify.annotations.NullMarked;
