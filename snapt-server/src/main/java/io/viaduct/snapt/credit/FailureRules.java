package io.viaduct.snapt.credit;

import io.viaduct.tunnel.wire.ServiceClass;
import io.viaduct.usage.v1.FailureAction;
import io.viaduct.usage.v1.FailureHandling;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/// What happens to the traffic of each class while billing is away (RFC 8506,
/// Credit-Control-Failure-Handling): the configuration decides until billing has said it.
final class FailureRules {
  private final Map<ServiceClass, FailureAction> actions = new EnumMap<>(ServiceClass.class);

  FailureRules(FailureAction untilTold) {
    for (ServiceClass serviceClass : ServiceClass.values()) {
      actions.put(serviceClass, untilTold);
    }
  }

  void take(List<FailureHandling> told) {
    for (FailureHandling each : told) {
      int ordinal = each.getServiceClassValue() - 1;
      boolean isKnown = ordinal >= 0 && ordinal < ServiceClass.COUNT;
      if (isKnown && each.getAction() != FailureAction.FAILURE_ACTION_UNSPECIFIED) {
        actions.put(ServiceClass.of(ordinal), each.getAction());
      }
    }
  }

  boolean refuses(ServiceClass serviceClass) {
    return actions.get(serviceClass) == FailureAction.TERMINATE;
  }
}
