package io.viaduct.diameter.credit;

import io.viaduct.diameter.message.AvpBuilder;

/// A Subscription-Id: who pays.
///
/// @param id such as `sip:alice@ims.test`
public record Subscriber(Type type, String id) {
  /// Values of Subscription-Id-Type.
  public enum Type {
    END_USER_E164,
    END_USER_IMSI,
    END_USER_SIP_URI,
    END_USER_NAI,
    END_USER_PRIVATE
  }

  void writeTo(AvpBuilder request) {
    request.group(
        "Subscription-Id",
        group -> group.add("Subscription-Id-Type", type.name()).add("Subscription-Id-Data", id));
  }
}
