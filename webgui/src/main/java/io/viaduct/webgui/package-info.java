/// The web GUI process: its configuration, its command line and the composition of its parts.
@NullMarked
package io.viaduct.webgui;

import org.jspecify.annotations.NullMarked;
