package io.viaduct.webgui.peer;

/// The services behind the pages; the name is a metric label and selects the text of the error
/// page.
public enum PeerName {
  BILLING,
  BRIDGE
}
