package io.viaduct.cnapt.egress;

import java.net.URI;
import java.util.List;

/// The pages through which a captive portal leads a browser, in order.
///
/// @param pages the portal's first page, and those to which redirections lead
/// @param isWhole false if a page did not answer, so that further ones may follow
record PortalWay(List<URI> pages, boolean isWhole) {
  PortalWay {
    pages = List.copyOf(pages);
  }
}
