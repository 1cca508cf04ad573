package io.viaduct.diameter.peer;

import io.viaduct.diameter.dictionary.Dictionary;
import io.viaduct.diameter.message.Answers;
import io.viaduct.diameter.message.AvpBuilder;
import io.viaduct.diameter.message.DiameterHeader;
import io.viaduct.diameter.message.DiameterMessage;

/// Builds the messages between neighbours: CER, CEA, DWR, DWA, DPR, DPA.
final class BaseMessages {
  static final int CAPABILITIES_EXCHANGE = 257;
  static final int DEVICE_WATCHDOG = 280;
  static final int DISCONNECT_PEER = 282;
  static final int SUCCESS = 2001;

  private final NodeIdentity own;
  private final Dictionary dictionary;
  private final Answers answers;

  BaseMessages(NodeIdentity own, Dictionary dictionary) {
    this.own = own;
    this.dictionary = dictionary;
    this.answers = new Answers(dictionary, own.host(), own.realm());
  }

  Answers answers() {
    return answers;
  }

  DiameterMessage capabilitiesRequest() {
    AvpBuilder avps = origin();
    capabilities(avps);
    return request(CAPABILITIES_EXCHANGE, avps);
  }

  DiameterMessage capabilitiesAnswer(DiameterMessage request, int resultCode) {
    AvpBuilder avps = answers.begin(request.avps(), resultCode);
    capabilities(avps);
    return answers.of(request.header(), resultCode, avps);
  }

  private void capabilities(AvpBuilder avps) {
    own.addresses().forEach(address -> avps.add("Host-IP-Address", address));
    avps.add("Vendor-Id", 0).add("Product-Name", own.product());
    avps.add("Origin-State-Id", own.originState());
    own.vendors().forEach(vendor -> avps.add("Supported-Vendor-Id", vendor));
    own.authApplications().forEach(id -> avps.add("Auth-Application-Id", id));
    own.accountingApplications().forEach(id -> avps.add("Acct-Application-Id", id));
  }

  DiameterMessage watchdogRequest() {
    return request(DEVICE_WATCHDOG, origin().add("Origin-State-Id", own.originState()));
  }

  DiameterMessage watchdogAnswer(DiameterMessage request) {
    AvpBuilder avps = answers.begin(request.avps(), SUCCESS);
    return answers.of(request.header(), SUCCESS, avps.add("Origin-State-Id", own.originState()));
  }

  /// @param cause name of a Disconnect-Cause
  DiameterMessage disconnectRequest(String cause) {
    return request(DISCONNECT_PEER, origin().add("Disconnect-Cause", cause));
  }

  private AvpBuilder origin() {
    return new AvpBuilder(dictionary)
        .add("Origin-Host", own.host())
        .add("Origin-Realm", own.realm());
  }

  private static DiameterMessage request(int command, AvpBuilder avps) {
    return new DiameterMessage(DiameterHeader.request(command, false, 0), avps.build());
  }
}
