/// The pages' client of the IMS bridge: its directory of SNAPTs.
@NullMarked
package io.viaduct.webgui.bridge;

import org.jspecify.annotations.NullMarked;
