package io.viaduct.diameter.accounting;

import io.viaduct.diameter.message.AvpBuilder;
import java.util.List;

/// The Service-Information of an accounting request: the IMS session to which the traffic belongs,
/// and the traffic.
///
/// @param icid IMS-Charging-Identifier, which joins the records of all nodes
/// @param userSession User-Session-Id: the tunnel's session; may be empty
/// @param usage intervals since the last record; empty at the start
public record ServiceInformation(String icid, String userSession, List<ServiceUsage> usage) {
  public ServiceInformation {
    usage = List.copyOf(usage);
  }

  void writeTo(AvpBuilder request) {
    request.group(
        "Service-Information",
        information -> {
          if (!usage.isEmpty()) {
            information.group("PS-Information", ps -> usage.forEach(one -> one.writeTo(ps)));
          }
          information.group(
              "IMS-Information",
              ims -> {
                // Node-Functionality is the only AVP that TS 32.299 demands here.
                ims.add("Node-Functionality", "AS").add("IMS-Charging-Identifier", icid);
                if (!userSession.isEmpty()) {
                  ims.add("User-Session-Id", userSession);
                }
              });
        });
  }
}
