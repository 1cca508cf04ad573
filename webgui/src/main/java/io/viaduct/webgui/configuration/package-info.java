/// The validated configuration of the pages.
@NullMarked
package io.viaduct.webgui.configuration;

import org.jspecify.annotations.NullMarked;
