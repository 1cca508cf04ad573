/// What the pages know of billing: sessions, balances, charges, top-ups, the event stream. Shapes
/// are those of billing's OpenAPI document; unknown members are ignored.
@NullMarked
package io.viaduct.webgui.billing;

import org.jspecify.annotations.NullMarked;
