package io.viaduct.cnapt.control;

/// One SNAPT as a candidate for the control connection.
///
/// @param id common name that its certificate must carry; empty: any
/// @param host name or address, which the certificate must name too
/// @param controlPort TCP
public record Snapt(String id, String host, int controlPort) {
  @Override
  public String toString() {
    return (id.isEmpty() ? "" : id + " ") + host + ":" + controlPort;
  }
}
