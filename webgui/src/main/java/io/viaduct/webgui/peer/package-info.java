/// The services behind the pages, spoken to by JSON over HTTP: bounded answers, bounded waits, and
/// few well-named ways to fail.
@NullMarked
package io.viaduct.webgui.peer;

import org.jspecify.annotations.NullMarked;
