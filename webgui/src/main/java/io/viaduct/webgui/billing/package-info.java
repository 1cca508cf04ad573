/// The pages' client of billing: sessions, balances, charges, top-ups, the event stream. Shapes are
/// those of billing's OpenAPI document; unknown members are ignored. An answer that lacks a
/// required member is refused as unreadable.
@NullMarked
package io.viaduct.webgui.billing;

import org.jspecify.annotations.NullMarked;
