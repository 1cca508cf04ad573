/// The pages, run as in production against a peer that speaks billing's and the bridge's contract.
@NullMarked
package io.viaduct.webgui;

import org.jspecify.annotations.NullMarked;
