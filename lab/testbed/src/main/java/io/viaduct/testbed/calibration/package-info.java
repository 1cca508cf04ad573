/// `viaduct bench lab`: measures how exact the weather of links is.
@NullMarked
package io.viaduct.testbed.calibration;

import org.jspecify.annotations.NullMarked;
