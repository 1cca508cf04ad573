/// The tariff pages: versions, the editor of drafts, comparisons, and trials on a time that is
/// over.
@NullMarked
package io.viaduct.webgui.tariff;

import org.jspecify.annotations.NullMarked;
