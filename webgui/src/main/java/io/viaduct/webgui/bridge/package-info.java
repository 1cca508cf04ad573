/// What the pages know of the IMS bridge: its directory of SNAPTs.
@NullMarked
package io.viaduct.webgui.bridge;

import org.jspecify.annotations.NullMarked;
