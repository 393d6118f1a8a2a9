import AsyncNet
