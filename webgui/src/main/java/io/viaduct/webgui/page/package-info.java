/// The parts that all pages share: formats of quantities, and the pages for errors.
@NullMarked
package io.viaduct.webgui.page;

import org.jspecify.annotations.NullMarked;
