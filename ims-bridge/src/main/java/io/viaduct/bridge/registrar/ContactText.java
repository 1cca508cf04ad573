package io.viaduct.bridge.registrar;

import io.viaduct.bridge.core.ChargingAddresses;
import io.viaduct.bridge.core.ChargingVector;
import io.viaduct.bridge.core.CoreRegistration;
import io.viaduct.bridge.replication.FlowText;
import io.viaduct.usage.v1.ReplicaContact;
import io.viaduct.usage.v1.ReplicaCore;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/// Writes and reads bindings as bridges tell them to each other.
final class ContactText {
  private ContactText() {}

  /// @param self name of this bridge
  static ReplicaContact write(Binding binding, String self) {
    ReplicaContact.Builder text =
        ReplicaContact.newBuilder()
            .setUser(binding.user())
            .setContact(binding.contact())
            .setInstance(binding.instance())
            .setFlow(FlowText.write(binding.flow(), self))
            .setCallId(binding.callId())
            .setCseq(binding.cseq())
            .setRegisteredMs(binding.registered().toEpochMilli())
            .setExpiresMs(binding.expires().toEpochMilli())
            .setPreference(binding.preference())
            .addAllMethods(binding.methods())
            .setRegId(binding.regId())
            .addAllPath(binding.path())
            .setLanguage(binding.language().toLanguageTag());
    binding.core().ifPresent(core -> text.setCore(write(core)));
    return text.build();
  }

  private static ReplicaCore write(CoreRegistration core) {
    ReplicaCore.Builder text =
        ReplicaCore.newBuilder()
            .setScscf(core.scscf())
            .setIdentity(core.identity())
            .addAllCcf(core.addresses().ccf())
            .addAllEcf(core.addresses().ecf());
    core.vector()
        .ifPresent(vector -> text.setIcid(vector.icid()).setGeneratedAt(vector.generatedAt()));
    return text.build();
  }

  /// @param self name of this bridge
  /// @throws IllegalArgumentException if it is no binding
  static Binding read(ReplicaContact text, String self) {
    return new Binding(
        text.getUser(),
        text.getContact(),
        text.getInstance(),
        FlowText.read(text.getFlow(), self),
        text.getCallId(),
        text.getCseq(),
        Instant.ofEpochMilli(text.getRegisteredMs()),
        Instant.ofEpochMilli(text.getExpiresMs()),
        text.getPreference(),
        Set.copyOf(text.getMethodsList()),
        text.getRegId(),
        text.getPathList(),
        Locale.forLanguageTag(text.getLanguage()),
        text.hasCore() ? Optional.of(read(text.getCore())) : Optional.empty());
  }

  private static CoreRegistration read(ReplicaCore text) {
    return new CoreRegistration(
        text.getScscf(),
        text.getIdentity(),
        text.getIcid().isEmpty()
            ? Optional.empty()
            : Optional.of(new ChargingVector(text.getIcid(), text.getGeneratedAt())),
        new ChargingAddresses(text.getCcfList(), text.getEcfList()));
  }
}
