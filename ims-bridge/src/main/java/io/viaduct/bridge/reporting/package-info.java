/// From a SNAPT's stream of signed usage reports to billing and back with billing's verdict. Keeps
/// nothing: what has no verdict is sent again by its SNAPT.
@NullMarked
package io.viaduct.bridge.reporting;

import org.jspecify.annotations.NullMarked;
