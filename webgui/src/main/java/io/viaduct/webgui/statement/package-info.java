/// The statement of a month: as a page, as CSV and as PDF.
@NullMarked
package io.viaduct.webgui.statement;

import org.jspecify.annotations.NullMarked;
