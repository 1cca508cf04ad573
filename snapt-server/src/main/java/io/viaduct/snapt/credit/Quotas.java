package io.viaduct.snapt.credit;

import io.viaduct.tunnel.wire.ServiceClass;
import io.viaduct.usage.v1.FlowUsage;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The quotas of one session, by application and class. A session has at most 256 applications in
/// four classes. Owned by the session's event loop.
final class Quotas {
  private final Map<Key, Quota> quotas = new LinkedHashMap<>();

  private record Key(String application, ServiceClass serviceClass) {}

  Collection<Quota> all() {
    return quotas.values();
  }

  Quota of(String application, ServiceClass serviceClass) {
    return quotas.computeIfAbsent(
        new Key(application, serviceClass), _ -> new Quota(application, serviceClass));
  }

  /// @param serviceClass number of the class on the wire, 1 … 4
  @Nullable Quota find(String application, int serviceClass) {
    return serviceClass < 1 || serviceClass > ServiceClass.COUNT
        ? null
        : quotas.get(new Key(application, ServiceClass.of(serviceClass - 1)));
  }

  /// Adds the line of a report to the totals.
  void close(FlowUsage line) {
    of(line.getApplication(), ServiceClass.of(line.getServiceClassValue() - 1))
        .close(line.getUp().getPreBytes() + line.getDown().getPreBytes(), line.getDurationMs());
  }
}
