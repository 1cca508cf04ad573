package io.viaduct.billing.preview;

import io.viaduct.billing.tariff.ServiceClass;

/// An activity of the user, as the classification sees it.
public enum Activity {
  MAIL("mail", ServiceClass.LT_HD, "mail", 0.95),
  WEB("web", ServiceClass.HT_HD, "web", 0.92),
  VIDEO("an hour of video", ServiceClass.HT_HD, "web", 0.99),
  CALLS("half an hour of calls", ServiceClass.HT_LD, "voice-call", 0.7),
  CHAT("chat", ServiceClass.LT_LD, "hangout-chat", 0.6),
  BACKGROUND("background", ServiceClass.LT_HD, "default-tcp", 0.95);

  private final String words;
  private final ServiceClass serviceClass;
  private final String application;
  private final double wireShare;

  Activity(String words, ServiceClass serviceClass, String application, double wireShare) {
    this.words = words;
    this.serviceClass = serviceClass;
    this.application = application;
    this.wireShare = wireShare;
  }

  String words() {
    return words;
  }

  ServiceClass serviceClass() {
    return serviceClass;
  }

  /// Returns the name in the classification table.
  String application() {
    return application;
  }

  /// Returns the bytes on the wire per byte before aggregation.
  double wireShare() {
    return wireShare;
  }

  /// Returns true if its packets must not wait, so they leave before those of the others.
  boolean isLowDelay() {
    return serviceClass == ServiceClass.LT_LD || serviceClass == ServiceClass.HT_LD;
  }
}
