/// Pages that only operators see: accounts, SNAPTs, refused reports.
@NullMarked
package io.viaduct.webgui.operator;

import org.jspecify.annotations.NullMarked;
