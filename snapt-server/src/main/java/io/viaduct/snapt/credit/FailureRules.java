package io.viaduct.snapt.credit;

import io.viaduct.tunnel.wire.ServiceClass;
import io.viaduct.usage.v1.FailureHandling;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/// Rules for the traffic of each class while billing is away: the configuration decides until
/// billing has said it.
final class FailureRules {
  private final Map<ServiceClass, WithoutBilling> rules = new EnumMap<>(ServiceClass.class);

  FailureRules(WithoutBilling untilTold) {
    for (ServiceClass serviceClass : ServiceClass.values()) {
      rules.put(serviceClass, untilTold);
    }
  }

  void take(List<FailureHandling> told) {
    for (FailureHandling each : told) {
      int code = each.getServiceClassValue() - 1;
      if (code >= 0 && code < ServiceClass.COUNT) {
        switch (each.getAction()) {
          case CONTINUE -> rules.put(ServiceClass.of(code), WithoutBilling.CONTINUE);
          case TERMINATE -> rules.put(ServiceClass.of(code), WithoutBilling.TERMINATE);
          case FAILURE_ACTION_UNSPECIFIED, UNRECOGNIZED -> {}
        }
      }
    }
  }

  boolean refuses(ServiceClass serviceClass) {
    return rules.get(serviceClass) == WithoutBilling.TERMINATE;
  }
}
