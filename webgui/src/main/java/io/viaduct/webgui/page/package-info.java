/// What all pages share: how quantities are shown, and what a visitor sees when something failed.
@NullMarked
package io.viaduct.webgui.page;

import org.jspecify.annotations.NullMarked;
